#include <gmock/gmock.h>

#include "domain/attempt.hpp"
#include "domain/dispatch.hpp"
#include "domain/state.hpp"
#include "tests/unit/parquet/fake_snapshot.hpp"

namespace semel::test {
namespace {

using domain::AttemptOutcome;
using domain::DispatchState;
using domain::State;
using parquet::File;
using testing::ElementsAre;

constexpr std::int64_t start = 1'800'000'000'000;  // 2027-01-15T08:00:00Z

Record task(std::uint8_t id, State state, const std::string& tenant = "default") {
  return {{"tenant", tenant},
          {"id", uuid_bytes(id)},
          {"kind", std::int64_t{0}},
          {"state", static_cast<std::int64_t>(state)},
          {"queue", "mail"},
          {"handler", "send:all"},
          {"run_at", start + 5'000},
          {"created_at", start},
          {"attempt", std::int64_t{1}},
          {"uncounted_attempts", std::int64_t{0}},
          {"retry", "3 0 10000 3600000 0"},
          {"identity_mode", std::int64_t{0}},
          {"window_kind", std::int64_t{1}},
          {"window_ms", std::int64_t{0}}};
}

Record attempt(std::uint8_t execution, std::int64_t number, AttemptOutcome outcome,
               const std::string& tenant = "default") {
  const std::int64_t began = start + (number - 1) * 20'000;
  Record made{{"tenant", tenant},
              {"execution_id", uuid_bytes(execution)},
              {"number", number},
              {"id", uuid_bytes(static_cast<std::uint8_t>(100 + execution * 10 + number))},
              {"worker", "w"},
              {"started_at", began},
              {"lease_until", began + 30'000},
              {"outcome", static_cast<std::int64_t>(outcome)},
              {"stale_results", std::int64_t{0}}};
  if (outcome != AttemptOutcome::running) made["ended_at"] = began + 1'000;
  return made;
}

std::vector<std::string> column(const std::vector<std::map<std::string, std::string>>& rows, const std::string& name) {
  std::vector<std::string> values;
  for (const auto& row : rows) values.push_back(row.at(name));
  return values;
}

TEST(ExportedDispatches, AreNamedByRunTaskAndAttempt) {
  FakeSnapshot store;
  Record step = task(2, State::running);
  step["run"] = uuid_bytes(9);
  step["task_key"] = "mail[1]";
  store.tables["executions"] = {task(1, State::running), step, task(3, State::pending)};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running),
                              attempt(2, 1, AttemptOutcome::undelivered)};

  const auto rows = rows_of(parquet::dispatch_file(), store);

  EXPECT_THAT(column(rows, "dispatch_id"),
              ElementsAre("dispatch:" + uuid_text(1) + ":send%3Aall:1", "dispatch:" + uuid_text(1) + ":send%3Aall:2",
                          "dispatch:" + uuid_text(9) + ":mail[1]:1"));
  EXPECT_THAT(column(rows, "status"), ElementsAre("CREATED", "CREATED", "UNDELIVERED"));
  EXPECT_THAT(column(rows, "outcome"), ElementsAre("failed", "running", "undelivered"));
  EXPECT_THAT(column(rows, "task_key"), ElementsAre("send:all", "send:all", "mail[1]"));
  EXPECT_EQ(rows[0].at("cloud_task_id").size(), 28u);
  EXPECT_EQ(rows[0].at("created_at"), "2027-01-15T08:00:00.000Z");
  EXPECT_EQ(rows[1].at("ended_at"), "–");
}

Record in_outbox(std::uint8_t execution, std::int64_t number, domain::DispatchState state) {
  return {{"tenant", "default"},      {"execution_id", uuid_bytes(execution)},
          {"number", number},         {"dispatch_id", "dispatch:x:y:" + std::to_string(number) + ":r1"},
          {"external_id", "d_z"},     {"state", static_cast<std::int64_t>(state)},
          {"sends", std::int64_t{4}}, {"due_at", start + (number - 1) * 15'000}};
}

Record accepted(Record dispatch) {
  dispatch["accepted_at"] = start + 2'000;
  return dispatch;
}

TEST(ExportedDispatches, AreAsTheOutboxKnowsThemWhileItHasThem) {
  FakeSnapshot store;
  store.tables["executions"] = {task(1, State::running), task(2, State::running), task(3, State::running)};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running),
                              attempt(2, 1, AttemptOutcome::running), attempt(3, 1, AttemptOutcome::running)};
  store.tables["dispatches"] = {in_outbox(1, 2, DispatchState::ambiguous),
                                accepted(in_outbox(3, 1, DispatchState::sent))};

  const auto rows = rows_of(parquet::dispatch_file(), store);

  EXPECT_THAT(column(rows, "status"), ElementsAre("CREATED", "PENDING", "CREATED", "CREATED"));
  EXPECT_THAT(column(rows, "sends"), ElementsAre("–", "4", "–", "4"));
  EXPECT_EQ(rows[1].at("dispatch_id"), "dispatch:x:y:2:r1");
  EXPECT_EQ(rows[1].at("cloud_task_id"), "d_z");
  EXPECT_EQ(rows[2].at("dispatch_id"), "dispatch:" + uuid_text(2) + ":send%3Aall:1");
  EXPECT_EQ(rows[3].at("accepted_at"), "2027-01-15T08:00:02.000Z");
}

/// An answer may come before it is known that the request has arrived, and the row stays as it was.
TEST(ExportedDispatches, ArePendingOnlyAsLongAsTheirAttemptRuns) {
  FakeSnapshot store;
  store.tables["executions"] = {task(1, State::running), task(2, State::completed)};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running),
                              attempt(2, 1, AttemptOutcome::completed)};
  store.tables["dispatches"] = {in_outbox(1, 1, DispatchState::unsent), in_outbox(1, 2, DispatchState::unsent),
                                in_outbox(2, 1, DispatchState::ambiguous)};

  const auto rows = rows_of(parquet::dispatch_file(), store);

  EXPECT_THAT(column(rows, "status"), ElementsAre("CREATED", "PENDING", "CREATED"));
}

TEST(ExportedAttempts, AreCalledAsTheirDispatchesAre) {
  FakeSnapshot store;
  store.tables["executions"] = {task(1, State::running)};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running)};
  store.tables["dispatches"] = {in_outbox(1, 2, DispatchState::sent)};

  const auto attempts = rows_of(parquet::attempts_file(), store);
  const auto dispatches = rows_of(parquet::dispatch_file(), store);

  EXPECT_THAT(column(attempts, "dispatch_id"),
              ElementsAre("dispatch:" + uuid_text(1) + ":send%3Aall:1", "dispatch:x:y:2:r1"));
  EXPECT_EQ(column(attempts, "dispatch_id"), column(dispatches, "dispatch_id"));
  EXPECT_EQ(column(attempts, "cloud_task_id"), column(dispatches, "cloud_task_id"));
}

TEST(ExportedTimers, AreThoseOfEveryAttempt) {
  FakeSnapshot store;
  Record twice = task(1, State::running);
  twice["attempt"] = std::int64_t{2};
  Record usual = task(2, State::pending);
  usual.erase("retry");  // as stores keep the usual policy
  store.tables["executions"] = {twice, usual};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running),
                              attempt(2, 1, AttemptOutcome::lease_ended)};

  const auto rows = rows_of(parquet::timers_file(), store);

  EXPECT_THAT(column(rows, "timer_type"), ElementsAre("HEARTBEAT", "RETRY", "HEARTBEAT", "HEARTBEAT", "RETRY"));
  EXPECT_THAT(column(rows, "state"), ElementsAre("CANCELLED", "FIRED", "SCHEDULED", "FIRED", "SCHEDULED"));
  EXPECT_EQ(rows[1].at("timer_id"), "timer:retry:" + uuid_text(1) + ":send%3Aall:1:1800000011");
  EXPECT_EQ(rows[0].at("timer_id"), "timer:heartbeat:" + uuid_text(1) + ":send%3Aall:1800000030");
  EXPECT_TRUE(rows[0].at("cloud_task_id").starts_with("t_"));
  EXPECT_EQ(rows[4].at("fire_at"), "2027-01-15T08:00:05.000Z");  // when the task is due
}

/// An attempt that no target has accepted has all the time in the world: nothing will fire.
TEST(ExportedTimers, OfAPushedAttemptEndItOnceItsTargetHasAcceptedIt) {
  FakeSnapshot store;
  store.tables["executions"] = {task(1, State::running), task(2, State::running), task(3, State::running)};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::running), attempt(2, 1, AttemptOutcome::running),
                              attempt(3, 1, AttemptOutcome::running)};
  store.tables["dispatches"] = {in_outbox(1, 1, DispatchState::unsent), accepted(in_outbox(2, 1, DispatchState::sent))};

  const auto rows = rows_of(parquet::timers_file(), store);

  EXPECT_THAT(column(rows, "execution_id"), ElementsAre(uuid_text(2), uuid_text(3)));
  EXPECT_THAT(column(rows, "timer_type"), ElementsAre("HEARTBEAT", "HEARTBEAT"));
}

/// Of what is pushed it is stored when the next attempt was due, also where the target asked for another pause.
TEST(ExportedTimers, OfAPushedAttemptBeginTheNextWhenThatWasDue) {
  FakeSnapshot store;
  Record twice = task(1, State::running);
  twice["attempt"] = std::int64_t{2};
  store.tables["executions"] = {twice};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running)};
  store.tables["dispatches"] = {in_outbox(1, 1, DispatchState::unsent), in_outbox(1, 2, DispatchState::unsent)};

  const auto rows = rows_of(parquet::timers_file(), store);

  EXPECT_THAT(column(rows, "timer_id"), ElementsAre("timer:retry:" + uuid_text(1) + ":send%3Aall:1:1800000015"));
  EXPECT_THAT(column(rows, "state"), ElementsAre("FIRED"));
}

TEST(ExportedTimers, HaveNoRetryWhereSomebodyOpenedTheTaskAgain) {
  FakeSnapshot store;
  Record again = task(1, State::running);
  again["attempt"] = std::int64_t{2};
  again["uncounted_attempts"] = std::int64_t{1};
  store.tables["executions"] = {again};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running)};

  EXPECT_THAT(column(rows_of(parquet::timers_file(), store), "timer_type"), ElementsAre("HEARTBEAT", "HEARTBEAT"));
}

/// An earlier export has shown it as scheduled.
TEST(ExportedTimers, AreInTheRangeInWhichTheyCameToTheirEnd) {
  FakeSnapshot store;
  Record twice = task(1, State::running);
  twice["attempt"] = std::int64_t{2};
  Record cancelled = task(2, State::cancelled);
  cancelled["closed_at"] = start + 19'000;
  store.tables["executions"] = {twice, cancelled};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::running),
                              attempt(2, 1, AttemptOutcome::failed)};
  const auto retries_since = [&](std::int64_t since) {
    auto rows = rows_of(parquet::timers_file(), store, {from_ms(since)});
    std::erase_if(rows, [](const auto& row) { return row.at("timer_type") != "RETRY"; });
    return column(rows, "state");
  };

  EXPECT_THAT(retries_since(start + 15'000), ElementsAre("FIRED", "CANCELLED"));  // both were due before
  EXPECT_THAT(retries_since(start + 20'000), ElementsAre("FIRED"));
  EXPECT_THAT(retries_since(start + 20'001), ElementsAre());
}

TEST(ExportedTimers, DoNotTakeTheAttemptOfAnotherTenantForTheNext) {
  FakeSnapshot store;
  Record closed = task(1, State::failed, "a");
  closed["run_at"] = start;
  closed["closed_at"] = start + 1'000;
  store.tables["executions"] = {closed, task(1, State::running, "b")};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed, "a"), attempt(1, 1, AttemptOutcome::running, "b")};

  const auto rows = rows_of(parquet::timers_file(), store);

  EXPECT_THAT(column(rows, "tenant"), ElementsAre("a", "b"));
  EXPECT_THAT(column(rows, "timer_type"), ElementsAre("HEARTBEAT", "HEARTBEAT"));
}

TEST(ExportedAttempts, AreRefusedWithoutTheirTask) {
  FakeSnapshot store;
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed)};

  EXPECT_THROW(rows_of(parquet::attempts_file(), store), StoreFault);
}

TEST(ExportedRange, HasWhatBeganOrEndedInIt) {
  FakeSnapshot store;
  Record done = task(1, State::completed);
  done["closed_at"] = start + 21'000;
  Record old = task(2, State::pending);
  store.tables["executions"] = {done, old};
  store.tables["attempts"] = {attempt(1, 1, AttemptOutcome::failed), attempt(1, 2, AttemptOutcome::completed)};
  const parquet::Range late{from_ms(start + 20'500)};

  EXPECT_THAT(column(rows_of(parquet::executions_file(), store, late), "execution_id"), ElementsAre(uuid_text(1)));
  EXPECT_THAT(column(rows_of(parquet::attempts_file(), store, late), "attempt"), ElementsAre("2"));
  EXPECT_THAT(column(rows_of(parquet::dispatch_file(), store, late), "attempt"), ElementsAre("2"));
  EXPECT_EQ(rows_of(parquet::executions_file(), store, {from_ms(start)}).size(), 2u);
  EXPECT_TRUE(rows_of(parquet::executions_file(), store, {from_ms(start + 21'001)}).empty());
}

TEST(ExportedExecutions, HaveNamesForNumbersAndNothingForWhatIsAbsent) {
  FakeSnapshot store;
  Record full = task(1, State::suspended);
  full["hash"] = std::string(32, '\xab');
  full["context"] = R"({"a":"ä"})";
  full["cancel_requested"] = std::int64_t{1};
  store.tables["executions"] = {full};

  const auto rows = rows_of(parquet::executions_file(), store);

  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("status"), "suspended");
  EXPECT_EQ(rows[0].at("kind"), "task");
  EXPECT_EQ(rows[0].at("identity_hash").substr(0, 4), "abab");
  EXPECT_EQ(rows[0].at("identity_hash").size(), 64u);
  EXPECT_EQ(rows[0].at("context"), R"({"a":"ä"})");
  EXPECT_EQ(rows[0].at("retry"),
            R"({"max_attempts":3,"backoff":"fixed","base_ms":10000,"cap_ms":3600000,"jitter_percent":0})");
  EXPECT_EQ(rows[0].at("result"), "–");
  EXPECT_EQ(rows[0].at("run_id"), "–");
}

TEST(ExportedExecutions, HaveTheUsualPolicyWhereNoneIsStored) {
  FakeSnapshot store;
  Record usual = task(1, State::pending);
  usual.erase("retry");
  store.tables["executions"] = {usual};

  EXPECT_EQ(rows_of(parquet::executions_file(), store)[0].at("retry"),
            R"({"max_attempts":3,"backoff":"exponential","base_ms":1000,"cap_ms":3600000,"jitter_percent":20})");
}

TEST(ExportedIdentities, SayWhatHoldsThem) {
  FakeSnapshot store;
  Record holder = task(1, State::completed);
  holder["key"] = "order-1";
  holder["identity_mode"] = std::int64_t{1};
  holder["created_by"] = "";
  Record tombstone = task(3, State::failed);
  tombstone["created_by"] = "shop";
  store.tables["executions"] = {holder, task(2, State::pending)};
  store.tables["tombstones"] = {tombstone};
  store.tables["holders"] = {
      {{"tenant", "default"}, {"execution_id", uuid_bytes(1)}, {"hash", std::string(32, '\x01')}},
      {{"tenant", "default"}, {"execution_id", uuid_bytes(3)}, {"hash", std::string(32, '\x03')}},
      {{"tenant", "default"}, {"execution_id", uuid_bytes(4)}, {"hash", std::string(32, '\x04')}}};

  const auto rows = rows_of(parquet::identities_file(), store);

  EXPECT_THAT(column(rows, "execution_id"), ElementsAre(uuid_text(1), uuid_text(3)));
  EXPECT_THAT(column(rows, "is_tombstone"), ElementsAre("0", "1"));
  EXPECT_THAT(column(rows, "idempotency_key"), ElementsAre("order-1", "–"));
  EXPECT_THAT(column(rows, "created_by"), ElementsAre("–", "shop"));
  EXPECT_THAT(column(rows, "status"), ElementsAre("completed", "failed"));
}

}  // namespace
}  // namespace semel::test
