#pragma once
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/server_fixture.hpp"

namespace semel::test {

/// Schedules of a server whose clock stands at noon of 2026-01-20, a Tuesday, until a test moves it.
class ScheduleFixture : public ServerFixture {
 protected:
  static constexpr const char* noon = "2026-01-20T12:00:00Z";

  static Time at(const std::string& text) { return parse_rfc3339(text).value(); }
  /// "13:00" of the first day.
  static Time today(const std::string& clock) { return at("2026-01-20T" + clock + ":00Z"); }

  static Json hourly(const Json& more = Json::object()) {
    Json settings{{"cron", "0 * * * *"}, {"task", {{"handler", "report"}}}};
    settings.update(more);
    return settings;
  }

  HttpAnswer put(const Json& settings, const std::string& name = "nightly", const std::string& key = "admin") {
    return ask({"PUT", "/v1/schedules/" + name, key, settings.dump()});
  }
  Json made(const Json& settings, const std::string& name = "nightly") {
    const HttpAnswer answer = put(settings, name);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
  }
  Json schedule(const std::string& name = "nightly") { return get("viewer", "/v1/schedules/" + name).json(); }
  HttpAnswer act(const std::string& verb, const Json& body = Json::object(), const std::string& name = "nightly") {
    return post("admin", "/v1/schedules/" + name + "/" + verb, body);
  }

  /// The clock goes on, and what is due is done.
  void go_to(Time time) {
    clock_.set(time);
    maintain();
  }

  /// The tasks that it has made, oldest first.
  std::vector<Json> tasks(const std::string& name = "nightly") {
    const Json listed = get("viewer", "/v1/tasks?limit=1000&label=semel.schedule=" + name).json()["tasks"];
    std::vector<Json> found(listed.begin(), listed.end());
    std::reverse(found.begin(), found.end());
    return found;
  }
  /// Their nominal times, as hours and minutes.
  std::vector<std::string> fired(const std::string& name = "nightly") {
    std::vector<std::string> times;
    for (const Json& each : tasks(name))
      times.push_back(each["labels"]["semel.nominal_time"].get<std::string>().substr(11, 5));
    return times;
  }
  using Times = std::vector<std::string>;
};

}  // namespace semel::test
