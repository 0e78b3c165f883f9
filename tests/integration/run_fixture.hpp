#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/support/server_fixture.hpp"

namespace semel::test {

/// Runs of templates with steps, over HTTP.
class RunFixture : public ServerFixture {
 protected:
  /// A step with the handler "do_<name>".
  static Json step(const std::string& name, const std::vector<std::string>& after = {},
                   const Json& more = Json::object()) {
    Json made{{"name", name}, {"handler", "do_" + name}, {"depends_on", after}};
    made.update(more);
    return made;
  }
  static Json submission(const std::string& name, const Json& context = Json::object(),
                         const Json& more = Json::object()) {
    Json made{{"namespace", "shop"}, {"name", name}, {"context", context}};
    made.update(more);
    return made;
  }
  /// Registers a template with these steps and submits it. The run's id.
  std::string start(const std::vector<Json>& steps, const Json& context = Json::object()) {
    put_template("order", {{"steps", steps}, {"identity_strategy", "always_unique"}});
    return create("admin", submission("order", context));
  }

  /// Leases all that is ready, and keeps it by its task_key. The keys, sorted.
  std::vector<std::string> lease_all(const std::string& queue = "default") {
    const Json poll{{"worker_id", "w1"}, {"queues", {queue}}, {"max", 1'000}};
    std::vector<std::string> keys;
    const Json answer = post("admin", "/v1/worker/poll", poll).json();
    for (const Json& each : answer["leases"]) {
      keys.push_back(each.value("task_key", each["handler"].get<std::string>()));
      leases_[keys.back()] = each;
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  const Json& lease_of(const std::string& task_key) { return leases_[task_key]; }
  void finish(const std::string& task_key, const Json& result) {
    const HttpAnswer answer = complete(leases_[task_key].value("attempt_id", ""), {{"result", result}});
    EXPECT_EQ(answer.status, 200) << task_key << answer.body;
  }
  void give_up(const std::string& task_key) {
    EXPECT_EQ(fail(leases_[task_key].value("attempt_id", "")).status, 200) << task_key;
  }
  /// Leases and completes all that becomes ready, with the result "of <task_key>". The keys in their order.
  std::vector<std::string> work_off() {
    std::vector<std::string> done;
    for (auto keys = lease_all(); !keys.empty(); keys = lease_all()) {
      for (const std::string& key : keys) finish(key, "of " + key);
      done.insert(done.end(), keys.begin(), keys.end());
    }
    return done;
  }

  /// "a=completed b=waiting"
  std::string states(const std::string& run) {
    std::string text;
    const Json view = task(run);
    for (const Json& each : view["steps"]) {
      text += (text.empty() ? "" : " ") + each["name"].get<std::string>() + "=" + each["status"].get<std::string>();
      if (each.contains("reason")) text += "(" + each["reason"].get<std::string>() + ")";
    }
    return text;
  }
  /// "run_started, task_scheduled a, …"
  std::string history(const std::string& run) {
    std::string text;
    const Json page = get("admin", "/v1/tasks/" + run + "/history").json();
    for (const Json& each : page["events"]) {
      text += (text.empty() ? "" : ", ") + each["kind"].get<std::string>();
      if (each.contains("task_key")) text += " " + each["task_key"].get<std::string>();
    }
    return text;
  }
  HttpAnswer resolve(const std::string& run, const std::string& step, const Json& body) {
    return post("admin", "/v1/tasks/" + run + "/steps/" + step + "/resolve", body);
  }
  HttpAnswer retry(const std::string& id, const Json& body = Json::object()) {
    return post("admin", "/v1/tasks/" + id + "/retry", body);
  }

 private:
  std::map<std::string, Json> leases_;
};

}  // namespace semel::test
