#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "tests/e2e/server_process.hpp"
#include "tests/support/long_run.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t visitor_count = 64;
constexpr int keys = 5'000;  // few, so that what the store holds is bounded and only leaks grow

/// A minute in a long run; else as long as it takes until memory no longer grows by what the store holds.
Clock::duration how_long() { return std::chrono::seconds(is_long_run() ? 60 : is_sanitized ? 20 : 6); }

std::size_t resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:" && status >> word) return std::stoul(word);
  }
  return 0;
}

/// One client that does what clients do, and what they should not.
class Visitor {
 public:
  Visitor(std::string address, unsigned seed) : address_(std::move(address)), random_(seed) { connect(); }

  /// What was wrong with an answer, or "".
  std::string visit() {
    switch (pick(16)) {
      case 0:
      case 1:
      case 2: return post("/v1/tasks", submission().dump(), {201, 409});
      case 3: return post("/v1/tasks", with({{"on_duplicate", "return_existing"}}).dump(), {200, 201, 409});
      case 4: return work();
      case 5: return post("/v1/tasks:batch", batch().dump(), {200});
      case 6: return post("/v1/tasks", cut_short("{\"handler\": \"a\", "), {400});
      case 7: return post("/v1/tasks", with({{"handlr", "a"}}).dump(), {400});
      case 8: return post("/v1/tasks", "{\"handler\":\"\xff\xfe\"}", {400});
      case 9: return expect(client_->ask({"POST", "/v1/tasks", "", "x", {{"Content-Type", "text/plain"}}}), {415});
      case 10: return expect(client_->ask({"GET", "/v1/nothing/" + std::to_string(pick(1'000))}), {404});
      case 11: return expect(client_->ask({"DELETE", "/v1/tasks"}), {405});
      case 12: return read();
      case 13: return misbehave();
      case 14: return leave_in_the_middle();
      default: return follow();
    }
  }

 private:
  using Statuses = std::vector<int>;

  void connect() { client_.emplace(address_); }
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  std::string cut_short(const std::string& text) {
    return text.substr(0, static_cast<std::size_t>(pick(static_cast<int>(text.size()))));
  }

  Json submission() {
    return {{"handler", "a"},
            {"idempotency_key", std::to_string(pick(keys))},
            {"context", {{"text", std::string(100, 'x')}, {"number", 1.5}}}};
  }
  Json with(const Json& more) {
    Json made = submission();
    made.update(more);
    return made;
  }
  Json batch() {
    Json tasks = Json::array();
    for (int i = 0; i < 20; ++i) tasks.push_back(i % 5 == 0 ? Json(7) : submission());
    return {{"tasks", tasks}};
  }

  static std::string expect(const HttpAnswer& answer, const Statuses& statuses) {
    if (std::find(statuses.begin(), statuses.end(), answer.status) != statuses.end()) return "";
    return std::to_string(answer.status) + " " + answer.body;
  }
  std::string post(const std::string& path, const std::string& body, const Statuses& statuses) {
    return expect(client_->ask({"POST", path, "", body}), statuses);
  }

  std::string work() {
    const HttpAnswer polled =
        client_->ask({"POST", "/v1/worker/poll", "", R"({"worker_id":"w","queues":["default"]})"});
    if (std::string wrong = expect(polled, {200}); !wrong.empty()) return wrong;
    const Json leases = polled.json()["leases"];
    if (leases.empty()) return "";
    const std::string attempt = leases[0]["attempt_id"];
    const bool completes = pick(2) == 0;
    const std::string body = completes ? R"({"result":1})" : R"({"error":{"type":"NO","message":"no"}})";
    return post("/v1/attempts/" + attempt + (completes ? "/complete" : "/fail"), body, {200});
  }

  std::string read() {
    constexpr const char* targets[]{"/v1/tasks?limit=20", "/v1/tasks?status=failed&limit=5", "/metrics", "/v1/audit",
                                    "/openapi.json",      "/v1/tasks/by-key?key=1",          "/healthz"};
    return expect(client_->ask({"GET", targets[pick(7)]}), {200, 404});
  }

  /// What no client library sends; the server answers and closes.
  std::string misbehave() {
    constexpr const char* requests[]{
        "GARBAGE\r\n\r\n", "POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n"};
    client_->send_bytes(requests[pick(5)]);
    const std::string wrong = expect(client_->read(), {400, 403, 413, 501});
    connect();
    return wrong;
  }

  std::string leave_in_the_middle() {
    const std::string bytes = to_bytes({"POST", "/v1/tasks", "", submission().dump()});
    client_->send_bytes(cut_short(bytes));
    connect();
    return "";
  }

  std::string follow() {
    client_->send({"GET", "/v1/events"});
    const std::string wrong = expect(client_->read(false), {200});
    connect();
    return wrong;
  }

  const std::string address_;
  std::mt19937 random_;
  std::optional<HttpClient> client_;
};

TEST(Load, GoodAndBadRequestsLeaveNoTrace) {
  // Freed memory that the sanitizer keeps for a while would look like a leak.
  const char* const options = std::getenv("ASAN_OPTIONS");
  ::setenv("ASAN_OPTIONS", ((options ? std::string(options) + ":" : "") + "quarantine_size_mb=8").c_str(), 1);
  TempDir folder;
  ServerProcess server(folder / "semel.db");
  const Clock::duration duration = how_long();
  const auto begin = Clock::now();
  std::atomic<std::size_t> visits = 0;
  std::atomic<std::size_t> early_kib = 0;
  std::mutex mutex;  // guards wrong
  std::vector<std::string> wrong;
  {
    std::vector<std::jthread> visitors;
    for (std::size_t i = 0; i < visitor_count; ++i) {
      visitors.emplace_back([&, i] {
        try {
          Visitor visitor(server.address(), static_cast<unsigned>(i));
          for (auto passed = Clock::duration(); passed < duration; passed = Clock::now() - begin) {
            const std::string problem = visitor.visit();
            ++visits;
            if (i == 0 && early_kib == 0 && passed > duration / 3) early_kib = resident_kib(server.process().pid());
            if (problem.empty()) continue;
            const std::lock_guard lock(mutex);
            wrong.push_back(problem);
          }
        } catch (const std::exception& error) {
          const std::lock_guard lock(mutex);
          wrong.push_back(error.what());
        }
      });
    }
  }
  const std::size_t late_kib = resident_kib(server.process().pid());

  EXPECT_EQ(wrong, std::vector<std::string>{});
  EXPECT_GT(visits, 64u * 100u);
  EXPECT_LT(late_kib, early_kib + early_kib / 5 + 8 * 1024) << "the server's memory grows";
  RecordProperty("visits", std::to_string(visits));
  RecordProperty("early_kib", std::to_string(early_kib));
  RecordProperty("late_kib", std::to_string(late_kib));
  EXPECT_EQ(server.stop(), 0) << server.process().errors();  // a leak makes it something else
}

}  // namespace
}  // namespace semel::test
