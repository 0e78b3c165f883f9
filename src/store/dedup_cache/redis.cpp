#include "store/dedup_cache/redis.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <array>
#include <cerrno>

namespace semel::store {
namespace {

timeval as_timeval(Duration duration) {
  const auto ms = duration.count();
  return {ms / 1000, static_cast<suseconds_t>(ms % 1000 * 1000)};
}

std::string_view text_of(const redisReply& reply) { return {reply.str, static_cast<std::size_t>(reply.len)}; }

}  // namespace

void Redis::ReplyEnd::operator()(redisReply* reply) const { freeReplyObject(reply); }

Redis::Redis(const RedisTarget& target, RedisPatience patience) : patience_(patience) {
  context_ = redisConnectWithTimeout(target.host.c_str(), target.port, as_timeval(patience.connect));
  if (context_ == nullptr) throw RedisFault(RedisFault::Kind::broken, "no memory for a connection");
  try {
    if (context_->err != 0) fail("connecting");
    redisSetTimeout(context_, as_timeval(patience.answer));
    log_in(target);
    ping();
  } catch (...) {
    redisFree(context_);
    throw;
  }
}

Redis::~Redis() { redisFree(context_); }

void Redis::log_in(const RedisTarget& target) {
  if (!target.password.empty()) {
    if (target.user.empty()) ask({"AUTH", target.password});
    else ask({"AUTH", target.user, target.password});
  }
  if (target.database != 0) ask({"SELECT", std::to_string(target.database)});
}

void Redis::fail(const std::string& doing) const {
  const std::string why = context_->err != 0 ? context_->errstr : "no answer in time";
  const bool is_slow = context_->err == 0 || (context_->err == REDIS_ERR_IO && errno == EAGAIN);
  throw RedisFault(is_slow ? RedisFault::Kind::too_slow : RedisFault::Kind::broken, doing + ": " + why);
}

void Redis::append(std::span<const std::string_view> words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  if (redisAppendCommandArgv(context_, static_cast<int>(words.size()), texts.data(), sizes.data()) != REDIS_OK)
    fail("writing");
}

/// All that was appended; the answers must have come within the patience from here.
void Redis::send() {
  deadline_ = Clock::now() + patience_.answer;
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_, &done) != REDIS_OK) fail("writing");
    if (done == 0 && Clock::now() >= deadline_) fail("writing");
  }
}

Redis::Reply Redis::receive() {
  while (true) {
    void* raw = nullptr;
    if (redisGetReplyFromReader(context_, &raw) != REDIS_OK) fail("reading");
    if (raw != nullptr) {
      Reply reply(static_cast<redisReply*>(raw));
      if (reply->type == REDIS_REPLY_ERROR)
        throw RedisFault(RedisFault::Kind::refused, fmt::format("Redis refuses: {}", text_of(*reply)));
      return reply;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    pollfd readable{context_->fd, POLLIN, 0};
    if (left <= 0 || poll(&readable, 1, static_cast<int>(left)) <= 0) fail("waiting");
    if (redisBufferRead(context_) != REDIS_OK) fail("reading");
  }
}

Redis::Reply Redis::ask(std::initializer_list<std::string_view> words) {
  append({words.begin(), words.size()});
  send();
  return receive();
}

std::vector<std::optional<std::string>> Redis::get(std::span<const std::string> keys) {
  std::vector<std::string_view> words{"MGET"};
  words.insert(words.end(), keys.begin(), keys.end());
  append(words);
  send();
  const Reply reply = receive();
  if (reply->type != REDIS_REPLY_ARRAY || reply->elements != keys.size())
    throw RedisFault(RedisFault::Kind::refused, "Redis answers MGET with something else");
  std::vector<std::optional<std::string>> values;
  for (const redisReply* each : std::span(reply->element, reply->elements)) {
    if (each->type == REDIS_REPLY_STRING) values.emplace_back(text_of(*each));
    else values.emplace_back();
  }
  return values;
}

void Redis::add(std::span<const Value> values) {
  for (const Value& each : values) {
    const std::string life = std::to_string(each.life.count());
    append(std::array<std::string_view, 6>{"SET", each.key, each.bytes, "PX", life, "NX"});
  }
  send();
  for (std::size_t i = 0; i < values.size(); ++i) receive();
}

void Redis::set(const Value& value) { ask({"SET", value.key, value.bytes, "PX", std::to_string(value.life.count())}); }

void Redis::ping() { ask({"PING"}); }

std::string Redis::info(std::string_view section) {
  const Reply reply = ask({"INFO", section});
  return reply->type == REDIS_REPLY_STRING ? std::string(text_of(*reply)) : "";
}

}  // namespace semel::store
