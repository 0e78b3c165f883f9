#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/http/transport/server.hpp"
#include "tests/support/json.hpp"
#include "tests/unit/http/http_client.hpp"

namespace semel::http {

/// Answers with what it was asked, or does what the test says.
class TestHandler final : public Handler {
 public:
  using Script = std::function<void(Request, Respond)>;

  void handle(Request request, Respond respond) override {
    ++calls;
    if (script) return script(std::move(request), std::move(respond));
    respond(echo(request));
  }
  std::size_t body_bytes_max(std::string_view, std::string_view path) const override {
    return path == "/small" ? 10 : 64 * 1024 * 1024;
  }

  static Response echo(const Request& request) {
    nlohmann::json body = {{"method", request.method},
                           {"path", request.path},
                           {"query", request.query},
                           {"content_type", request.content_type},
                           {"authorization", request.authorization},
                           {"request_id", request.request_id},
                           {"from_loopback", request.from_loopback},
                           {"body", request.body}};
    if (request.idempotency_key) body["idempotency_key"] = *request.idempotency_key;
    Response response;
    response.body = body.dump();
    return response;
  }

  Script script;  // set before the server starts
  std::atomic<int> calls = 0;
};

/// Requests that wait for their answer, and the test that waits for them.
class Parking {
 public:
  void park(Respond respond) {
    const std::scoped_lock lock(mutex_);
    parked_.push_back(std::move(respond));
    changed_.notify_all();
  }
  /// Waits until so many are parked, and takes them all.
  std::vector<Respond> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return parked_.size() >= count; });
    return std::exchange(parked_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Respond> parked_;
};

/// Counts events; a test waits for the last one of them instead of sleeping.
class Counter {
 public:
  void add() {
    const std::scoped_lock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  bool reaches(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return count_ >= count; });
  }
  int value() const {
    const std::scoped_lock lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// A server on a free port of 127.0.0.1; tests change options and handler before they start it.
class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { options.port = 0; }
  void TearDown() override { server.reset(); }  // before what a derived fixture's handlers use

  void start() {
    server = std::make_unique<Server>(options, handler);
    server->start();
  }
  Client connect() { return Client(server->address()); }
  /// The connections are counted down by the server's threads, some time after the client has noticed.
  bool connections_reach(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (server->connections() != count && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return server->connections() == count;
  }

  ServerOptions options;
  TestHandler handler;
  std::unique_ptr<Server> server;
};

inline std::string get(std::string_view target, std::string_view more_headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more_headers) + "\r\n";
}

inline std::string post(std::string_view target, std::string_view body, std::string_view more_headers = "") {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

inline nlohmann::json json_of(const Answer& answer) { return nlohmann::json::parse(answer.body); }

inline std::string error_code_of(const Answer& answer) { return json_of(answer)["error"]["code"]; }

}  // namespace semel::http
