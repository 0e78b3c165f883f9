#include "tests/integration/schedule_fixture.hpp"

namespace semel::test {
namespace {

/// What schedules do when their time comes.
class Firings : public ScheduleFixture {
 protected:
  void complete_all() {
    for (Json leased = lease("default"); !leased.is_null(); leased = lease("default"))
      complete(leased["attempt_id"], Json::object());
  }
  Times states() {
    Times found;
    for (const Json& each : tasks()) found.push_back(each["status"]);
    return found;
  }
};

TEST_F(Firings, ATaskIsMadeAtTheNominalTimeAndOnlyOne) {
  const Json stored = ask({"PUT", "/v1/schedules/nightly", "admin",
                           R"({"cron":"0 13 * * *","task":{"handler":"report","queue":"reports","priority":7,)"
                           R"("labels":{"team":"a"},"context":{"big":9007199254740993,"one":1.0}}})"})
                          .json();
  go_to(today("13:00") - 1ms);
  EXPECT_TRUE(tasks().empty());

  go_to(today("13:00") + 7ms);
  maintain();

  ASSERT_EQ(tasks().size(), 1u);
  const std::string id = tasks()[0]["task_uuid"];
  const HttpAnswer task = get("admin", "/v1/tasks/" + id);
  EXPECT_THAT(task.body, testing::HasSubstr(R"("context":{"big":9007199254740993,"one":1.0})"));  // as it was written
  EXPECT_EQ(task.json()["queue"], "reports");
  EXPECT_EQ(task.json()["priority"], 7);
  EXPECT_EQ(task.json()["labels"],
            (Json{{"semel.schedule", "nightly"}, {"semel.nominal_time", "2026-01-20T13:00:00.000Z"}, {"team", "a"}}));
  EXPECT_EQ(task.json()["task_id"],
            "schedule:" + stored["schedule_id"].get<std::string>() + ":2026-01-20T13:00:00.000Z");
  EXPECT_EQ(task.json()["identity"]["scope"], "schedule");
  const Json shown = schedule();
  EXPECT_EQ(shown["last_firing"], (Json{{"nominal_time", "2026-01-20T13:00:00.000Z"},
                                        {"fired_at", "2026-01-20T13:00:00.007Z"},
                                        {"outcome", "submitted"},
                                        {"task_uuid", id}}));
  EXPECT_EQ(shown["last_task"], (Json{{"task_uuid", id}, {"status", "pending"}}));
  EXPECT_EQ(shown["next_firing"], "2026-01-21T13:00:00.000Z");
  EXPECT_EQ(shown["counts"]["submitted"], 1);
  EXPECT_THAT(get("operator", "/metrics").body,
              testing::HasSubstr(R"(semel_schedule_firings_total{outcome="submitted",tenant="acme"} 1)"));
}

TEST_F(Firings, AWorkerThatWaitsGetsTheTask) {
  made(hourly());
  HttpClient worker = connect();
  const std::size_t before = keys_.requests();
  worker.send({"POST", "/v1/worker/poll", "worker",
               Json{{"worker_id", "w2"}, {"queues", {"default"}}, {"wait_ms", 60'000}}.dump()});
  keys_.wait_for_requests(before + 1);

  go_to(today("13:00"));

  EXPECT_EQ(worker.read().json()["leases"][0]["handler"], "report");
}

TEST_F(Firings, AreNotRepeatedByRestarts) {
  made(hourly({{"overlap", "allow"}}));
  for (const char* clock : {"12:59", "13:00", "13:01", "14:00"}) {
    clock_.set(today(clock));
    restart();
    maintain();
    restart();
    maintain();
  }

  EXPECT_EQ(fired(), (Times{"13:00", "14:00"}));
}

TEST_F(Firings, ThatAnotherServerHasDoneAreNotDoneAgain) {
  made(hourly({{"overlap", "allow"}}));
  std::optional<domain::ScheduleRecord> seen;
  restart([&](Store& store) {
    seen = store.schedule("acme", "nightly");
    clock_.set(today("13:00"));
  });
  maintain();  // ours
  ASSERT_EQ(fired(), Times{"13:00"});

  restart([&](Store& store) {  // the other one has read before that, and comes too late
    const Command theirs =
        AdvanceSchedule{"acme", "nightly", seen->id, seen->version, {{today("13:00")}}, today("13:00"), std::nullopt};
    EXPECT_FALSE(std::get<ScheduleAdvanced>(store.apply({&theirs, 1}).outcomes[0]).schedule);
  });

  EXPECT_EQ(schedule()["next_firing"], "2026-01-20T14:00:00.000Z");
}

TEST_F(Firings, NoSubmissionCanTakeTheIdentityOfOne) {
  const std::string id = made(hourly())["schedule_id"];
  create("reader", {{"handler", "report"}, {"idempotency_key", "schedule:" + id + ":2026-01-20T13:00:00.000Z"}});

  go_to(today("13:00"));

  EXPECT_EQ(fired(), Times{"13:00"});
  EXPECT_EQ(schedule()["counts"]["submitted"], 1);
}

TEST_F(Firings, ThatWereMissedAreTreatedAsTheScheduleSays) {
  made(hourly({{"missed", "skip"}, {"overlap", "allow"}}), "skip");
  made(hourly({{"missed", "once"}, {"overlap", "allow"}}), "once");
  made(hourly({{"missed", "catch_up"}, {"catch_up_max", 3}, {"overlap", "allow"}}), "catch_up");
  stop();
  clock_.set(today("17:30"));
  start();
  maintain();

  EXPECT_EQ(fired("skip"), Times{});
  EXPECT_EQ(fired("once"), Times{"17:00"});
  EXPECT_EQ(fired("catch_up"), (Times{"15:00", "16:00", "17:00"}));
  EXPECT_FALSE(schedule("skip").contains("last_firing"));

  go_to(today("18:00") + 30s);

  EXPECT_EQ(fired("skip"), Times{"18:00"});
  EXPECT_EQ(fired("once"), (Times{"17:00", "18:00"}));
  EXPECT_EQ(fired("catch_up").size(), 4u);
}

TEST_F(Firings, ALongCatchingUpIsDoneInSeveralCommits) {
  made({{"cron", "* * * * *"},
        {"missed", "catch_up"},
        {"catch_up_max", 250},
        {"overlap", "allow"},
        {"task", {{"handler", "report"}}}});

  clock_.set(today("22:00"));
  for (int commit = 0; commit < 3; ++commit) maintain();

  const Times times = fired();
  ASSERT_EQ(times.size(), 250u);
  EXPECT_EQ(times.front(), "17:51");
  EXPECT_EQ(times.back(), "22:00");
  EXPECT_EQ(schedule()["counts"]["submitted"], 250);
}

TEST_F(Firings, WhileTheTaskBeforeIsOpenAreSkipped) {
  made(hourly());
  go_to(today("13:00"));
  go_to(today("14:00"));

  EXPECT_EQ(fired(), Times{"13:00"});
  EXPECT_EQ(schedule()["last_firing"]["outcome"], "skipped");
  EXPECT_EQ(schedule()["last_firing"]["nominal_time"], "2026-01-20T14:00:00.000Z");
  EXPECT_EQ(schedule()["last_task"]["task_uuid"], tasks()[0]["task_uuid"]);
  EXPECT_EQ(schedule()["counts"]["skipped"], 1);

  complete_all();
  go_to(today("15:00"));

  EXPECT_EQ(fired(), (Times{"13:00", "15:00"}));
}

TEST_F(Firings, MayOverlapWhereThatIsAllowed) {
  made(hourly({{"overlap", "allow"}}));

  go_to(today("13:00"));
  go_to(today("14:00"));

  EXPECT_EQ(states(), (Times{"pending", "pending"}));
}

TEST_F(Firings, MayCancelTheTaskBefore) {
  made(hourly({{"overlap", "cancel_previous"}}));
  go_to(today("13:00"));
  go_to(today("14:00"));

  EXPECT_EQ(states(), (Times{"cancelled", "pending"}));
  EXPECT_EQ(schedule()["last_firing"]["outcome"], "cancelled_previous");

  complete_all();
  go_to(today("15:00"));

  EXPECT_EQ(states(), (Times{"cancelled", "completed", "pending"}));
  EXPECT_EQ(schedule()["last_firing"]["outcome"], "submitted");
}

TEST_F(Firings, FollowTheWallClockOfTheZone) {
  clock_.set(at("2026-03-27T12:00:00Z"));
  maintain();
  made({{"cron", "30 2 * * *"},
        {"time_zone", "Europe/Berlin"},
        {"overlap", "allow"},
        {"task", {{"handler", "report"}}}});
  EXPECT_EQ(schedule()["upcoming"][1], "2026-03-29T01:00:00.000Z");  // 02:30 is left out: 03:00

  for (Time time = at("2026-03-27T12:00:00Z"); time <= at("2026-03-30T12:00:00Z"); time += 30min) go_to(time);

  EXPECT_EQ(fired(), (Times{"01:30", "01:00", "00:30"}));
  clock_.set(at("2026-10-24T12:00:00Z"));
  maintain();
  const std::size_t before = tasks().size();
  for (Time time = at("2026-10-24T12:00:00Z"); time <= at("2026-10-25T12:00:00Z"); time += 30min) go_to(time);
  ASSERT_EQ(tasks().size(), before + 1);  // 02:30 comes twice
  EXPECT_EQ(fired().back(), "00:30");
}

TEST_F(Firings, DoNotHappenWhileTheScheduleIsPaused) {
  made(hourly());
  EXPECT_EQ(act("pause").json()["paused"], true);
  go_to(today("15:30"));
  restart();
  maintain();
  EXPECT_TRUE(tasks().empty());

  EXPECT_EQ(act("resume").json()["paused"], false);
  maintain();

  EXPECT_EQ(fired(), Times{"15:00"});  // what was missed: the latest
  EXPECT_EQ(schedule()["next_firing"], "2026-01-20T16:00:00.000Z");
}

TEST_F(Firings, OfAOneOffHappenOnce) {
  const Json settings{{"at", "2026-01-20T13:15:00+00:00"}, {"task", {{"handler", "report"}}}};
  EXPECT_EQ(made(settings)["upcoming"], Json::array({"2026-01-20T13:15:00.000Z"}));

  go_to(today("14:00"));
  go_to(today("15:00"));

  EXPECT_EQ(fired(), Times{"13:15"});
  EXPECT_FALSE(schedule().contains("next_firing"));
  EXPECT_EQ(schedule()["upcoming"], Json::array());
  EXPECT_EQ(made(settings)["counts"]["submitted"], 1);  // said again, it stays as it is
}

TEST_F(Firings, ThatAreRefusedAreRecordedAndHoldUpNothing) {
  put_template("charge", {{"identity", {{"strategy", "strict"}, {"locked", true}}}});
  made(hourly({{"overlap", "allow"}, {"task", {{"namespace", "shop"}, {"name", "charge"}}}}), "named");
  made(hourly(), "other");
  go_to(today("13:00"));
  EXPECT_EQ(fired("named"), Times{"13:00"});  // the key is ours, so the lock does not count
  ask({"DELETE", "/v1/templates/shop/charge", "admin"});

  go_to(today("14:00"));

  const Json refused = schedule("named")["last_firing"];
  EXPECT_EQ(refused["outcome"], "refused");
  EXPECT_THAT(refused["error"].get<std::string>(), testing::HasSubstr("no template shop/charge"));
  EXPECT_EQ(schedule("named")["next_firing"], "2026-01-20T15:00:00.000Z");
  EXPECT_EQ(fired("other").size(), 1u);  // skipped, because the first is open
  put_template("charge");
  go_to(today("15:00"));
  EXPECT_EQ(fired("named"), (Times{"13:00", "15:00"}));
}

TEST_F(Firings, ByHandAreMadeAtOnceAndTheSameTimeOnlyOnce) {
  made(hourly());
  act("pause");
  clock_.set(today("12:20"));

  const HttpAnswer first = act("run");
  const HttpAnswer again = act("run", {{"nominal_time", "2026-01-20T12:20:00Z"}});
  clock_.set(today("12:30"));
  const HttpAnswer skipped = act("run");

  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(first.json()["nominal_time"], "2026-01-20T12:20:00.000Z");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.json()["task_uuid"], first.json()["task_uuid"]);
  EXPECT_EQ(skipped.status, 200);
  EXPECT_EQ(skipped.json()["outcome"], "skipped");
  EXPECT_FALSE(skipped.json().contains("task_uuid"));
  complete_all();
  EXPECT_EQ(act("run", {{"nominal_time", "2026-01-19T08:00:00Z"}}).status, 201);
  EXPECT_EQ(act("run", {{"nominal_time", "2026-01-20T12:36:00Z"}}).status, 400);
  EXPECT_EQ(fired(), (Times{"12:20", "08:00"}));
  EXPECT_EQ(schedule()["next_firing"], "2026-01-20T13:00:00.000Z");
}

}  // namespace
}  // namespace semel::test
