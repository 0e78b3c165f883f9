#include "tests/support/redis_server.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <sstream>
#include <stdexcept>

#include "tests/support/free_port.hpp"

namespace semel::test {
namespace {

std::string text_of(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
  if (reply.type != REDIS_REPLY_ARRAY) return {reply.str, static_cast<std::size_t>(reply.len)};
  std::string lines;
  for (std::size_t i = 0; i < reply.elements; ++i) lines += text_of(*reply.element[i]) + "\n";
  return lines;
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> settings) : settings_(std::move(settings)) {
  for (int tries = 0; tries < 5; ++tries) {
    port_ = free_port();
    if (try_to_start()) return;
  }
  throw std::runtime_error("redis-server did not start: install the package redis-server");
}

bool RedisServer::try_to_start() {
  std::vector<std::string> command{
      "redis-server", "--port", std::to_string(port_),  "--bind", "127.0.0.1", "--save", "", "--appendonly",
      "no",           "--dir",  folder_.path().string()};
  command.insert(command.end(), settings_.begin(), settings_.end());
  process_ = std::make_unique<Process>(std::move(command));
  while (const std::optional<std::string> line = process_->read_line()) {
    if (line->find("Ready to accept connections") != std::string::npos) return true;
  }
  return false;
}

std::string RedisServer::url() const { return fmt::format("redis://127.0.0.1:{}", port_); }

void RedisServer::kill() {
  process_->signal(SIGKILL);
  process_->wait();
}

void RedisServer::start_again() {
  if (!try_to_start()) throw std::runtime_error("redis-server did not start again");
}

std::optional<std::string> RedisServer::ask(const std::vector<std::string>& words) const {
  const std::unique_ptr<redisContext, decltype(&redisFree)> redis(redisConnect("127.0.0.1", port_), &redisFree);
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  auto* const raw = redisCommandArgv(redis.get(), static_cast<int>(words.size()), texts.data(), sizes.data());
  const std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply(static_cast<redisReply*>(raw), &freeReplyObject);
  if (!reply) throw std::runtime_error("redis-server does not answer");
  if (reply->type == REDIS_REPLY_NIL) return std::nullopt;
  return text_of(*reply);
}

std::vector<std::string> RedisServer::keys() const {
  std::vector<std::string> found;
  std::istringstream lines(ask({"KEYS", "*"}).value_or(""));
  for (std::string line; std::getline(lines, line);) found.push_back(line);
  return found;
}

}  // namespace semel::test
