#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/server_process.hpp"
#include "tests/support/push_endpoint.hpp"

namespace semel::test {

/// A server with two queues, "push" and "other", whose tasks are pushed to an endpoint of the test's own. How that
/// answers, the handler of the task says: "take" (202), "do" (200), "refuse" (422), "be_down" (503).
class PushingServer {
 public:
  explicit PushingServer(const std::string& store, std::vector<std::string> more = {})
      : server_(StoreUrl{store}, with_network(std::move(more))), client_(server_.connect()) {
    for (const char* queue : {"push", "other"}) {
      const Json settings{{"target", endpoint_.url("/run")}};
      const HttpAnswer answer = client_.raw().ask({"PUT", std::string("/v1/queues/") + queue, "", settings.dump()});
      if (answer.status != 200) throw std::runtime_error(answer.body);
    }
  }

  ServerProcess& process() { return server_; }
  RestClient& client() { return client_; }
  Json task(const std::string& id) { return client_.get("/v1/tasks/" + id).body; }

  std::string push(const std::string& handler, Json submission = Json::object()) {
    submission["handler"] = handler;
    if (!submission.contains("queue")) submission["queue"] = "push";
    return client_.post("/v1/tasks", submission).body.at("task_uuid");
  }

  /// Asks until it is so: what follows an answer is written a moment after it was given.
  void await(const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("it did not come to that");
      std::this_thread::yield();
    }
  }
  /// Until the attempt of that number is there, and this is known of its dispatch.
  void await_push(const std::string& id, std::size_t attempt, const std::string& state) {
    await([&] {
      const Json attempts = task(id)["attempts"];
      return attempts.size() == attempt && attempts.back().at("push")["state"] == state;
    });
  }
  void await_status(const std::string& id, const std::string& status) {
    await([&] { return task(id)["status"] == status; });
  }

  /// What a target says of the newest attempt of the task, of which it has been sent the request.
  void call_back(const std::string& id, const std::string& what, const Json& body) {
    Json envelope;
    for (const EndpointRequest& request : endpoint_.requests()) {
      const Json sent = Json::parse(request.body);
      if (sent["task_uuid"] == id) envelope = sent;
    }
    const std::string url = envelope.at("callbacks").at(what);
    const HttpAnswer answer =
        client_.raw().ask({"POST", url.substr(url.find("/v1/")), envelope.at("token"), body.dump()});
    if (answer.status != 200) throw std::runtime_error(answer.body);
  }

 private:
  static std::vector<std::string> with_network(std::vector<std::string> more) {
    more.insert(more.end(), {"--dispatch-allowed-networks", "127.0.0.0/8"});
    return more;
  }

  static EndpointReply answer(const EndpointRequest& request) {
    static const std::map<std::string, int> statuses{{"take", 202}, {"do", 200}, {"refuse", 422}, {"be_down", 503}};
    EndpointReply reply;
    reply.status = statuses.at(Json::parse(request.body)["handler"]);
    if (reply.status == 200) reply.body = R"({"done":true})";
    return reply;
  }

  PushEndpoint endpoint_{answer};
  ServerProcess server_;
  RestClient client_;
};

}  // namespace semel::test
