#pragma once
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "tests/support/push_endpoint.hpp"
#include "tests/support/server_fixture.hpp"

namespace semel::test {

/// A server whose queue "push" has a target: an endpoint of the test's own, which does what the test says.
class DispatchFixture : public ServerFixture {
 protected:
  DispatchFixture() {
    options_.dispatch.emplace();
    options_.dispatch->allowed_networks = "127.0.0.0/8";
    options_.retry = {1, domain::Backoff::fixed, 10s, 10s, 0};
  }

  void SetUp() override {
    start();
    put_target(Json::object());
  }

  void put_target(Json settings) {
    settings["target"] = endpoint_.url("/tasks");
    const HttpAnswer answer = ask({"PUT", "/v1/queues/push", "admin", settings.dump()});
    ASSERT_EQ(answer.status, 200) << answer.body;
  }

  std::string push_task(Json submission = Json::object()) {
    submission["handler"] = "charge";
    submission["queue"] = "push";
    return create("admin", submission);
  }

  /// When the task has closed.
  Json outcome_of(const std::string& id) { return get("admin", "/v1/tasks/" + id + "/result?wait=30s").json(); }

  Json attempt(const std::string& id, std::size_t number = 0) { return task(id)["attempts"].at(number); }

  /// Asks the server until it is so: what follows an answer of the target is written a moment after it was given.
  void await(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_so()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "it did not come to that";
      std::this_thread::yield();
    }
  }
  void await_push_state(const std::string& id, const std::string& state) {
    await([&] {
      const Json attempts = task(id)["attempts"];
      return !attempts.empty() && attempts.back().contains("push") && attempts.back()["push"]["state"] == state;
    });
  }

  /// Time goes on: what is due then is sent.
  void pass(Duration time) {
    clock_.advance(time);
    maintain();
  }

  HttpAnswer call_back(const EndpointRequest& request, const std::string& what, const Json& body = Json::object()) {
    const Json envelope = Json::parse(request.body);
    const std::string url = envelope["callbacks"][what];
    const std::string path = url.substr(url.find("/v1/"));
    return post(envelope["token"], path, body);
  }

  static EndpointReply reply(int status, std::string body = "") {
    EndpointReply reply;
    reply.status = status;
    reply.body = std::move(body);
    return reply;
  }
  static EndpointReply broken(EndpointReply::Act act) {
    EndpointReply reply;
    reply.act = act;
    return reply;
  }

  using Program = std::function<EndpointReply(const EndpointRequest&)>;
  void answer_with(Program program) {
    const std::lock_guard lock(mutex_);
    program_ = std::move(program);
  }

 private:
  std::mutex mutex_;  // guards program_
  Program program_ = [](const EndpointRequest&) { return reply(200, R"({"receipt":17})"); };

 protected:
  /// By default, it does tasks at once.
  PushEndpoint endpoint_{[this](const EndpointRequest& request) {
    Program program;
    {
      const std::lock_guard lock(mutex_);
      program = program_;
    }
    return program(request);
  }};
};

}  // namespace semel::test
