#include <semel/v1/schedule.grpc.pb.h>

#include "tests/grpc/parity_fixture.hpp"

namespace semel::test {
namespace {

using ScheduleStub = v1::ScheduleService::Stub;

class ScheduleParity : public Parity {
 protected:
  void SetUp() override {
    Parity::SetUp();
    schedules_ = v1::ScheduleService::NewStub(rpc().channel);
  }

  /// Says the same of a schedule to both, and compares.
  void put_both(const Json& document, const std::string& name = "nightly") {
    SCOPED_TRACE(document.dump());
    v1::PutScheduleRequest request;
    request.set_name(name);
    request.set_document(document.dump());
    const auto rpc = ask_rpc(*schedules_, &ScheduleStub::PutSchedule, "globex", request);
    expect_same(ask({"PUT", "/v1/schedules/" + name, "admin", document.dump()}), rpc, rpc.json());
  }
  void get_both(const std::string& name = "nightly") {
    const auto rpc =
        ask_rpc(*schedules_, &ScheduleStub::GetSchedule, "globex", make<v1::GetScheduleRequest>({{"name", name}}));
    expect_same(get("admin", "/v1/schedules/" + name), rpc, rpc.json());
  }
  void list_both(const std::string& query, const Json& request) {
    SCOPED_TRACE(query);
    const auto rpc =
        ask_rpc(*schedules_, &ScheduleStub::ListSchedules, "globex", make<v1::ListSchedulesRequest>(request));
    expect_same(get("admin", "/v1/schedules" + query), rpc, rpc.json());
  }
  template <typename Request>
  void pause_both(grpc::Status (ScheduleStub::*method)(grpc::ClientContext*, const Request&, v1::Schedule*),
                  const std::string& verb, const std::string& name = "nightly") {
    const auto rpc = ask_rpc(*schedules_, method, "globex", make<Request>({{"name", name}}));
    expect_same(post("admin", "/v1/schedules/" + name + "/" + verb, Json::object()), rpc, rpc.json());
  }
  void run_both(const Json& body, const std::string& name = "nightly") {
    SCOPED_TRACE(body.dump());
    Json message = body;
    message["name"] = name;
    const auto rpc = ask_rpc(*schedules_, &ScheduleStub::RunSchedule, "globex", make<v1::RunScheduleRequest>(message));
    const HttpAnswer rest = post("admin", "/v1/schedules/" + name + "/run", body);
    expect_same(rest, rpc, rpc.json());
    EXPECT_EQ(rpc.response.has_task_uuid(), rest.status == 201);
  }
  void delete_both(const std::string& name = "nightly") {
    const auto rpc = ask_rpc(*schedules_, &ScheduleStub::DeleteSchedule, "globex",
                             make<v1::DeleteScheduleRequest>({{"name", name}}));
    const HttpAnswer rest = ask({"DELETE", "/v1/schedules/" + name, "admin"});
    if (rest.status >= 400) expect_same(rest, rpc, rpc.json());
    EXPECT_EQ(rpc.ok(), rest.status == 204);
  }

  static Json hourly(const Json& more = Json::object()) {
    Json document{{"cron", "0 * * * *"}, {"task", {{"handler", "report"}, {"context", {{"n", 1}}}}}};
    document.update(more);
    return document;
  }

  std::unique_ptr<ScheduleStub> schedules_;
};

TEST_F(ScheduleParity, OfWhatAScheduleMaySay) {
  put_both(hourly());
  get_both();
  put_both(hourly());
  put_both(hourly({{"time_zone", "Europe/Berlin"},
                   {"missed", "catch_up"},
                   {"catch_up_max", 3},
                   {"overlap", "cancel_previous"},
                   {"start", "2026-02-01T00:00:00Z"},
                   {"end", "2031-02-01T00:00:00Z"},
                   {"paused", true}}));
  get_both();
  put_both({{"at", "2031-01-20T12:30:00Z"}, {"task", {{"handler", "report"}}}, {"missed", "skip"}}, "once");
  get_both("once");
}

TEST_F(ScheduleParity, OfWhatIsRefused) {
  for (const Json& bad : std::vector<Json>{
           Json::object(),
           {{"cron", "0 * * * *"}},
           {{"task", {{"handler", "report"}}}},
           hourly({{"at", "2031-01-20T12:30:00Z"}}),
           hourly({{"cron", "often"}}),
           hourly({{"cron", "0 0 30 2 *"}}),
           hourly({{"time_zone", "Europe/Atlantis"}}),
           hourly({{"missed", "never"}}),
           hourly({{"overlap", "maybe"}}),
           hourly({{"catch_up_max", 3}}),
           hourly({{"unknown", 1}}),
           hourly({{"task", {{"handler", "a b"}}}}),
           hourly({{"task", {{"handler", "a"}, {"idempotency_key", "k"}}}}),
           hourly({{"task", {{"name", "nobody"}}}}),
           {{"at", "1999-01-20T12:30:00Z"}, {"task", {{"handler", "report"}}}},
       })
    put_both(bad);
  put_both(hourly({{"task", {{"handler", "report"}, {"context", std::string(70'000, 'x')}}}}));
  put_both(hourly(), std::string(101, 'n'));
  get_both("nobody");
  run_both(Json::object(), "nobody");
  pause_both(&ScheduleStub::PauseSchedule, "pause", "nobody");
  delete_both("nobody");
}

TEST_F(ScheduleParity, OfFirings) {
  put_both(hourly());
  run_both({{"nominal_time", "2026-01-20T11:00:00Z"}});
  run_both({{"nominal_time", "2026-01-20T11:00:00Z"}});  // the same task again
  run_both({{"nominal_time", "2026-01-20T10:00:00Z"}});  // skipped: that one is open
  run_both({{"nominal_time", "2031-01-20T11:00:00Z"}});  // still to come
  get_both();
  end_both("default", "/complete", {{"result", result}});
  run_both(Json::object());  // now
  get_both();

  clock_.advance(2h);
  maintain();
  get_both();
}

TEST_F(ScheduleParity, OfListsPausesAndRemovals) {
  list_both("", Json::object());
  for (const char* name : {"a", "b", "c"}) put_both(hourly(), name);
  list_both("", Json::object());
  list_both("?limit=2", {{"limit", 2}});
  list_both("?limit=2&cursor=b", {{"limit", 2}, {"cursor", "b"}});
  list_both("?limit=0", {{"limit", 0}});

  pause_both(&ScheduleStub::PauseSchedule, "pause", "a");
  pause_both(&ScheduleStub::PauseSchedule, "pause", "a");
  list_both("?limit=1", {{"limit", 1}});
  pause_both(&ScheduleStub::ResumeSchedule, "resume", "a");
  get_both("a");
  delete_both("a");
  delete_both("a");
  list_both("", Json::object());
}

TEST_F(ScheduleParity, OfWhoMay) {
  v1::PutScheduleRequest request;
  request.set_name("nightly");
  request.set_document(hourly().dump());

  EXPECT_EQ(ask_rpc(*schedules_, &ScheduleStub::PutSchedule, "reader", request).status.error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(ask_rpc(*schedules_, &ScheduleStub::PutSchedule, "admin", request).ok());
  EXPECT_TRUE(
      ask_rpc(*schedules_, &ScheduleStub::GetSchedule, "viewer", make<v1::GetScheduleRequest>({{"name", "nightly"}}))
          .ok());
  EXPECT_EQ(
      ask_rpc(*schedules_, &ScheduleStub::GetSchedule, "maker", make<v1::GetScheduleRequest>({{"name", "nightly"}}))
          .status.error_code(),
      grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(
      ask_rpc(*schedules_, &ScheduleStub::GetSchedule, "globex", make<v1::GetScheduleRequest>({{"name", "nightly"}}))
          .status.error_code(),
      grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace semel::test
