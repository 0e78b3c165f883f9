#include "tests/integration/schedule_fixture.hpp"

namespace semel::test {
namespace {

/// What is said of schedules, and what is shown of them.
class Schedules : public ScheduleFixture {};

TEST_F(Schedules, AreShownWithAllThatHoldsAndTheNextFirings) {
  const Json stored = made({{"cron", "30 2 * * *"},
                            {"time_zone", "Europe/Berlin"},
                            {"missed", "catch_up"},
                            {"catch_up_max", 3},
                            {"overlap", "allow"},
                            {"start", "2026-01-22T00:00:00Z"},
                            {"end", "2026-01-24T00:00:00Z"},
                            {"task", {{"handler", "report"}, {"context", {{"kind", "daily"}}}}}});

  Json expected{{"name", "nightly"},
                {"schedule_id", stored["schedule_id"]},
                {"paused", false},
                {"cron", "30 2 * * *"},
                {"time_zone", "Europe/Berlin"},
                {"missed", "catch_up"},
                {"catch_up_max", 3},
                {"overlap", "allow"},
                {"start", "2026-01-22T00:00:00.000Z"},
                {"end", "2026-01-24T00:00:00.000Z"},
                {"created_at", "2026-01-20T12:00:00.000Z"},
                {"changed_at", "2026-01-20T12:00:00.000Z"},
                {"next_firing", "2026-01-22T01:30:00.000Z"},
                {"counts", {{"submitted", 0}, {"skipped", 0}, {"refused", 0}}},
                {"task", {{"handler", "report"}, {"context", {{"kind", "daily"}}}}},
                {"upcoming", {"2026-01-22T01:30:00.000Z", "2026-01-23T01:30:00.000Z"}}};
  EXPECT_EQ(stored, expected);
  EXPECT_EQ(schedule(), expected);
  restart();
  EXPECT_EQ(schedule(), expected);
  EXPECT_EQ(made(hourly(), "other")["upcoming"].size(), 5u);
}

TEST_F(Schedules, AreListedByNameAPageAtATime) {
  for (const char* name : {"c", "a", "b"}) made(hourly(), name);
  ask({"PUT", "/v1/schedules/theirs", "globex", hourly().dump()});

  const Json page = get("viewer", "/v1/schedules?limit=2").json();

  ASSERT_EQ(page["schedules"].size(), 2u);
  EXPECT_EQ(page["schedules"][0]["name"], "a");
  EXPECT_FALSE(page["schedules"][0].contains("task"));
  const Json rest = get("viewer", "/v1/schedules?limit=2&cursor=" + page["next_cursor"].get<std::string>()).json();
  ASSERT_EQ(rest["schedules"].size(), 1u);
  EXPECT_EQ(rest["schedules"][0]["name"], "c");
  EXPECT_FALSE(rest.contains("next_cursor"));
}

TEST_F(Schedules, AChangeKeepsTheIdAndBeginsToCountFromNow) {
  const Json before = made(hourly());
  clock_.set(today("12:30"));

  const Json after = made({{"cron", "45 * * * *"}, {"task", {{"handler", "report"}}}});

  EXPECT_EQ(after["schedule_id"], before["schedule_id"]);
  EXPECT_EQ(after["created_at"], before["created_at"]);
  EXPECT_EQ(after["next_firing"], "2026-01-20T12:45:00.000Z");
  go_to(today("13:30"));
  EXPECT_EQ(fired(), Times{"12:45"});
}

TEST_F(Schedules, SaidAgainNothingChanges) {
  const Json first = made(hourly());
  clock_.set(today("12:30"));

  EXPECT_EQ(made(hourly()), first);
  EXPECT_EQ(made(hourly({{"missed", "once"}, {"overlap", "skip"}})), first);  // what holds if nothing is said

  EXPECT_EQ(get("admin", "/v1/audit").json()["entries"].size(), 1u);
}

TEST_F(Schedules, ThatAreRemovedFireNoMore) {
  const Json first = made(hourly());

  EXPECT_EQ(ask({"DELETE", "/v1/schedules/nightly", "admin"}).status, 204);

  EXPECT_EQ(get("viewer", "/v1/schedules/nightly").status, 404);
  EXPECT_EQ(ask({"DELETE", "/v1/schedules/nightly", "admin"}).status, 404);
  go_to(today("13:00"));
  EXPECT_TRUE(tasks().empty());
  EXPECT_NE(made(hourly())["schedule_id"], first["schedule_id"]);
}

TEST_F(Schedules, OnlyAdministratorsChangeThemAndAllIsAudited) {
  made(hourly());
  for (const char* key : {"reader", "worker", "viewer"}) {
    EXPECT_EQ(put(hourly(), "nightly", key).status, 403) << key;
    for (const char* verb : {"pause", "resume", "run"})
      EXPECT_EQ(post(key, "/v1/schedules/nightly/" + std::string(verb), Json::object()).status, 403) << key << verb;
    EXPECT_EQ(ask({"DELETE", "/v1/schedules/nightly", key}).status, 403) << key;
  }
  EXPECT_EQ(get("worker", "/v1/schedules/nightly").status, 403);
  EXPECT_EQ(get("worker", "/v1/schedules").status, 403);
  EXPECT_EQ(get("globex", "/v1/schedules/nightly").status, 404);

  act("pause");
  act("resume");
  ask({"DELETE", "/v1/schedules/nightly", "admin"});

  Times actions;
  const Json entries = get("admin", "/v1/audit").json()["entries"];
  for (const Json& entry : entries) {
    actions.push_back(entry["action"]);
    EXPECT_EQ(entry["subject"], "nightly");
  }
  EXPECT_EQ(actions, (Times{"schedule.remove", "schedule.resume", "schedule.pause", "schedule.set"}));
}

TEST_F(Schedules, RefuseWhatMakesNoSense) {
  const Json task{{"handler", "report"}};
  const auto with_task = [](const Json& more) {
    Json said{{"handler", "report"}};
    said.update(more);
    return Json{{"cron", "@daily"}, {"task", said}};
  };
  const std::pair<Json, const char*> cases[] = {
      {{{"task", task}}, "cron (again and again) or at (once) is required"},
      {{{"cron", "@daily"}, {"at", "2026-02-01T00:00:00Z"}, {"task", task}}, "cron and at are both given"},
      {{{"at", "2026-02-01T00:00:00Z"}, {"time_zone", "UTC"}, {"task", task}}, "time_zone needs a cron"},
      {{{"at", "2026-01-20T12:00:00Z"}, {"task", task}}, "at is 2026-01-20T12:00:00.000Z, and it is"},
      {{{"cron", "@daily"}, {"end", "2026-01-20T13:00:00Z"}, {"task", task}}, "nothing is left to fire"},
      {{{"cron", "61 * * * *"}, {"task", task}}, "cron '61 * * * *': minute"},
      {{{"cron", "@daily"}, {"time_zone", "Europe/Berln"}, {"task", task}}, "time_zone: "},
      {{{"cron", "@daily"}, {"missed", "never"}, {"task", task}}, "missed must be skip, once or catch_up"},
      {{{"cron", "@daily"}, {"overlap", "no"}, {"task", task}}, "overlap must be skip, allow or cancel_previous"},
      {{{"cron", "@daily"}, {"catch_up_max", 5}, {"task", task}}, "catch_up_max needs missed: catch_up"},
      {{{"cron", "@daily"}}, "task is required"},
      {{{"cron", "@daily"}, {"task", {{"queue", "a"}}}}, "task: name (of a registered template) or handler"},
      {{{"cron", "@daily"}, {"task", 5}}, "task: "},
      {with_task({{"idempotency_key", "k"}}), "task: idempotency_key is not allowed"},
      {with_task({{"task_id", "k"}}), "task: idempotency_key is not allowed"},
      {with_task({{"task_uuid", "019bddae-b818-7d82-b7c5-bd42e5db27fc"}}), "task: task_uuid is not allowed"},
      {with_task({{"run_at", "2026-02-01T00:00:00Z"}}), "task: run_at is not allowed"},
      {with_task({{"wait", "5s"}}), "task: wait is not allowed"},
      {with_task({{"deadline", "2026-02-01T00:00:00Z"}}), "task: deadline must be a duration"},
      {with_task({{"labels", {{"semel.schedule", "x"}}}}), "task: the schedule sets the label"},
      {with_task({{"no_such", 1}}), "task: unknown field"},
      {{{"cron", "@daily"}, {"task", task}, {"zone", "UTC"}}, "unknown field 'zone'"},
  };
  for (const auto& [settings, refusal] : cases) {
    const HttpAnswer answer = put(settings);
    EXPECT_EQ(answer.status, 400) << settings;
    EXPECT_THAT(answer.message(), testing::StartsWith(refusal)) << settings;
  }
  EXPECT_EQ(put(hourly(), "a%20b").status, 400);
  EXPECT_EQ(put({{"cron", "@daily"}, {"task", {{"name", "nothing"}}}}).status, 404);
  EXPECT_EQ(put(hourly({{"task", {{"handler", "a"}, {"context", std::string(65'000, 'x')}}}})).status, 200);
  EXPECT_EQ(put(hourly({{"task", {{"handler", "a"}, {"context", std::string(66'000, 'x')}}}}), "big").status, 413);
  EXPECT_EQ(get("viewer", "/v1/schedules").json()["schedules"].size(), 1u);
  EXPECT_EQ(act("pause", {{"x", 1}}).status, 400);
  for (const char* verb : {"pause", "resume", "run"}) EXPECT_EQ(act(verb, Json::object(), "nobody").status, 404);
}

TEST_F(Schedules, AZoneThatThisMachineDoesNotKnowIsSaidAndTriedAgainLater) {
  restart([&](Store& store) {
    const std::string document = R"({"cron":"0 * * * *","time_zone":"Mars/Base","task":{"handler":"report"}})";
    const Command put = PutSchedule{"acme", "nightly", {}, {document, clock_.now(), today("13:00")}, "admin"};
    store.apply({&put, 1});
  });
  EXPECT_THAT(schedule()["unreadable"].get<std::string>(), testing::HasSubstr("Mars/Base"));

  go_to(today("13:00"));
  maintain();

  const Json shown = schedule();
  EXPECT_EQ(shown["last_firing"]["outcome"], "refused");
  EXPECT_EQ(shown["counts"]["refused"], 1);
  EXPECT_EQ(shown["next_firing"], "2026-01-20T14:00:00.000Z");
}

}  // namespace
}  // namespace semel::test
