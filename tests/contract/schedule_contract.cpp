#include "ports/firing.hpp"
#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

using domain::FiringOutcome;
using domain::FiringRecord;
using domain::ScheduleDraft;
using domain::ScheduleRecord;

/// What is kept of schedules, and that their firings happen once (ADR 0007).
class ScheduleContract : public StoreContract {
 protected:
  explicit ScheduleContract(domain::TenantLimits limits = {}) : StoreContract(limits) {}

  static std::string tenant() { return std::string(default_tenant); }
  domain::ScheduleId fresh_id() { return {ids_.execution().uuid}; }
  ScheduleDraft draft(std::string document = "{}") { return {std::move(document), now(), now() + 1h}; }

  ScheduleStored put_stored(const ScheduleDraft& what, const std::string& name = "nightly") {
    return as<ScheduleStored>(apply(PutSchedule{tenant(), name, fresh_id(), what, "admin-key"}));
  }
  ScheduleRecord put(const ScheduleDraft& what, const std::string& name = "nightly") {
    return put_stored(what, name).schedule.value();
  }
  ScheduleStored pause(bool paused) {
    return as<ScheduleStored>(apply(PauseSchedule{tenant(), "nightly", paused, "admin-key"}));
  }
  std::optional<ScheduleRecord> stored(const std::string& name = "nightly") {
    return store().schedule(default_tenant, name);
  }

  /// The task of a firing: the same nominal time, the same identity.
  Submit task_of(const ScheduleRecord& schedule, Time nominal) {
    return task().key(firing_key(schedule.id, nominal)).reuse(Reuse::reject_duplicate);
  }
  AdvanceSchedule advance_to(const ScheduleRecord& seen, Time handled) {
    return {seen.tenant, seen.name, seen.id, seen.version, {}, handled, handled + 1h};
  }
  AdvanceSchedule fire_at(const ScheduleRecord& seen, Time nominal) {
    AdvanceSchedule command = advance_to(seen, nominal);
    command.firings.push_back({nominal, task_of(seen, nominal)});
    return command;
  }
  ScheduleAdvanced advanced(const AdvanceSchedule& command) { return as<ScheduleAdvanced>(apply(command)); }

  std::vector<std::string> names(const std::vector<ScheduleRecord>& schedules) {
    std::vector<std::string> found;
    for (const ScheduleRecord& each : schedules) found.push_back(each.name);
    return found;
  }
  std::vector<std::string> actions() {
    std::vector<std::string> found;
    for (const AuditEntry& entry : store().audit(default_tenant, std::nullopt, 100)) found.push_back(entry.action);
    return found;
  }
};
SEMEL_ON_ALL_STORES(ScheduleContract);

TEST_P(ScheduleContract, WhatWasSaidIsKeptWholeAndAudited) {
  ScheduleRecord expected;
  expected.tenant = tenant();
  expected.name = "nightly";
  expected.version = 1;
  expected.document = R"({"cron":"@daily"})";
  expected.paused = true;
  expected.created_at = expected.changed_at = now();
  expected.changed_by = "admin-key";
  expected.handled = now() - 1s;
  expected.next = now() + 5min;

  const ScheduleRecord made = put({expected.document, expected.handled, expected.next, true});
  reopen();

  expected.id = made.id;
  EXPECT_EQ(describe(made), describe(expected));
  EXPECT_EQ(describe(stored()), describe(expected));
  EXPECT_EQ(actions(), std::vector<std::string>{"schedule.set"});
  EXPECT_FALSE(store().schedule("globex", "nightly"));
  EXPECT_FALSE(stored("weekly"));
}

TEST_P(ScheduleContract, AChangeKeepsTheIdAndWhatWasFiredAndCountsFromNow) {
  const ScheduleRecord made = put(draft("1"));
  const ScheduleRecord fired = *advanced(fire_at(made, now())).schedule;
  advance(1min);

  const ScheduleStored changed = put_stored(draft("2"));

  EXPECT_TRUE(changed.changed);
  EXPECT_EQ(changed.schedule->id, made.id);
  EXPECT_EQ(changed.schedule->document, "2");
  EXPECT_EQ(changed.schedule->handled, now());
  EXPECT_EQ(changed.schedule->next, now() + 1h);
  EXPECT_EQ(changed.schedule->changed_at, now());
  EXPECT_EQ(changed.schedule->created_at, made.created_at);
  EXPECT_EQ(changed.schedule->last, fired.last);
  EXPECT_EQ(changed.schedule->counts, fired.counts);
  EXPECT_GT(changed.schedule->version, fired.version);
  EXPECT_EQ(describe(stored()), describe(changed.schedule));
}

TEST_P(ScheduleContract, WhatIsSaidAgainChangesNothing) {
  const ScheduleRecord made = put(draft("1"));
  advance(1min);

  const ScheduleStored again = put_stored(draft("1"));

  EXPECT_FALSE(again.changed);
  EXPECT_EQ(describe(again.schedule), describe(made));
  EXPECT_EQ(actions().size(), 1u);
}

TEST_P(ScheduleContract, APauseLeavesHowFarItHasComeAndCanBeSaidWithTheRest) {
  const ScheduleRecord made = put(draft());

  const ScheduleStored paused = pause(true);

  EXPECT_TRUE(paused.schedule->paused);
  EXPECT_EQ(paused.schedule->handled, made.handled);
  EXPECT_EQ(paused.schedule->next, made.next);
  EXPECT_FALSE(pause(true).changed);
  EXPECT_TRUE(put(draft("2")).paused);  // said nothing of it
  ScheduleDraft open = draft("2");
  open.paused = false;
  advance(1min);
  const ScheduleRecord resumed = put(open);
  EXPECT_FALSE(resumed.paused);
  EXPECT_EQ(resumed.handled, made.handled);  // the rest was said before
  EXPECT_EQ(actions(), (std::vector<std::string>{"schedule.set", "schedule.set", "schedule.pause", "schedule.set"}));
  EXPECT_FALSE(as<ScheduleStored>(apply(PauseSchedule{tenant(), "weekly", true})).schedule);
}

TEST_P(ScheduleContract, OnesThatAreRemovedAreGoneAndMadeAgainAsOthers) {
  const ScheduleRecord made = put(draft());

  EXPECT_TRUE(as<ScheduleRemoved>(apply(RemoveSchedule{tenant(), "nightly", "admin-key"})).existed);

  EXPECT_FALSE(as<ScheduleRemoved>(apply(RemoveSchedule{tenant(), "nightly", "admin-key"})).existed);
  EXPECT_FALSE(stored());
  EXPECT_FALSE(store().next_schedule());
  EXPECT_EQ(actions(), (std::vector<std::string>{"schedule.remove", "schedule.set"}));
  EXPECT_NE(put(draft()).id, made.id);
  EXPECT_FALSE(advanced(fire_at(made, now())).schedule);  // the new one has the same version
}

TEST_P(ScheduleContract, AFiringMakesItsTaskAndIsRecorded) {
  const ScheduleRecord made = put(draft());
  const Time nominal = now() + 1h;
  advance(1h + 7ms);
  const AdvanceSchedule command = fire_at(made, nominal);

  const ScheduleAdvanced fired = advanced(command);

  const domain::ExecutionId id = command.firings[0].submit->spec.id;
  const FiringRecord expected{nominal, now(), FiringOutcome::submitted, id, ""};
  ASSERT_EQ(fired.firings.size(), 1u);
  EXPECT_EQ(describe(fired.firings[0]), describe(expected));
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_TRUE(changes_[0].is_ready);
  EXPECT_EQ(state_of(id), State::pending);
  reopen();
  const ScheduleRecord after = stored().value();
  EXPECT_EQ(describe(after), describe(fired.schedule));
  EXPECT_EQ(after.last, expected);
  EXPECT_EQ(after.task, id);
  EXPECT_EQ(after.handled, nominal);
  EXPECT_EQ(after.next, nominal + 1h);
  EXPECT_EQ(after.version, made.version + 1);
  EXPECT_EQ(after.counts, (domain::FiringCounts{1, 0, 0}));
}

TEST_P(ScheduleContract, TwoThatFireTheSameMakeOneTask) {
  const ScheduleRecord seen = put(draft());
  const AdvanceSchedule one = fire_at(seen, now());
  const AdvanceSchedule other = fire_at(seen, now());

  const std::vector<Outcome> outcomes = apply_all({one, other});

  EXPECT_TRUE(as<ScheduleAdvanced>(outcomes[0]).schedule);
  EXPECT_FALSE(as<ScheduleAdvanced>(outcomes[1]).schedule);
  EXPECT_TRUE(as<ScheduleAdvanced>(outcomes[1]).firings.empty());
  EXPECT_EQ(changes_.size(), 1u);
  EXPECT_FALSE(find(other.firings[0].submit->spec.id));
  EXPECT_FALSE(advanced(other).schedule);  // later, too
  EXPECT_EQ(stored()->counts.submitted, 1);
}

TEST_P(ScheduleContract, NobodyFiresWhatWasChangedMeanwhile) {
  for (const int change : {0, 1, 2}) {
    const ScheduleRecord seen = put(draft(std::to_string(change)));
    if (change == 0) put(draft("other"));
    if (change == 1) pause(true);
    if (change == 2) apply(RemoveSchedule{tenant(), "nightly", "admin-key"});

    EXPECT_FALSE(advanced(fire_at(seen, now())).schedule) << change;

    EXPECT_TRUE(changes_.empty()) << change;
  }
}

TEST_P(ScheduleContract, AFiringThatHasItsTaskGetsNoOther) {
  const ScheduleRecord made = put(draft());
  const ScheduleAdvanced first = advanced(fire_at(made, now()));
  advance(1min);

  const ScheduleAdvanced again = advanced(fire_at(*first.schedule, first.firings[0].nominal));

  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(again.firings.at(0).outcome, FiringOutcome::submitted);
  EXPECT_EQ(again.firings.at(0).task, first.firings.at(0).task);
  EXPECT_EQ(again.schedule->counts.submitted, 1);
}

TEST_P(ScheduleContract, FiringsOfWhichNoTaskIsMadeAreRecordedOnly) {
  const ScheduleRecord made = put(draft());
  const ScheduleRecord before = *advanced(fire_at(made, now())).schedule;
  AdvanceSchedule command = advance_to(before, now() + 2h);
  command.firings.push_back({now() + 1h});
  command.firings.push_back({now() + 2h, std::nullopt, std::nullopt, std::string(600, 'x')});

  const ScheduleAdvanced after = advanced(command);

  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(after.firings.at(0).outcome, FiringOutcome::skipped);
  EXPECT_EQ(after.firings.at(1).outcome, FiringOutcome::refused);
  EXPECT_EQ(after.schedule->last->error, std::string(500, 'x'));
  EXPECT_EQ(after.schedule->last->nominal, now() + 2h);
  EXPECT_EQ(after.schedule->task, before.task);
  EXPECT_EQ(after.schedule->counts, (domain::FiringCounts{1, 1, 1}));
  EXPECT_EQ(describe(stored()), describe(after.schedule));
}

TEST_P(ScheduleContract, TheTaskBeforeIsCancelledWhenThereIsANewOne) {
  const ScheduleRecord made = put(draft());
  const ScheduleAdvanced first = advanced(fire_at(made, now()));
  AdvanceSchedule command = fire_at(*first.schedule, now() + 1h);
  command.firings[0].cancels = first.schedule->task;

  const ScheduleAdvanced second = advanced(command);

  EXPECT_EQ(second.firings.at(0).outcome, FiringOutcome::cancelled_previous);
  EXPECT_EQ(state_of(*first.schedule->task), State::cancelled);
  EXPECT_EQ(state_of(*second.schedule->task), State::pending);
  AdvanceSchedule again = fire_at(*second.schedule, now() + 1h);  // has its task: which is not cancelled for itself
  again.firings[0].cancels = second.schedule->task;
  EXPECT_EQ(advanced(again).firings.at(0).outcome, FiringOutcome::submitted);
  EXPECT_EQ(state_of(*second.schedule->task), State::pending);
}

TEST_P(ScheduleContract, ARunningTaskBeforeIsAskedToStop) {
  const ScheduleRecord made = put(draft());
  const ScheduleAdvanced first = advanced(fire_at(made, now()));
  claim_one();
  AdvanceSchedule command = fire_at(*first.schedule, now() + 1h);
  command.firings[0].cancels = first.schedule->task;

  advanced(command);

  EXPECT_EQ(state_of(*first.schedule->task), State::running);
  EXPECT_TRUE(find(*first.schedule->task)->cancel_requested);
}

TEST_P(ScheduleContract, TheDueOnesAreFoundEarliestFirst) {
  put({"{}", now(), now() + 3h}, "third");
  put({"{}", now(), now() + 1h}, "first");
  put({"{}", now(), now() + 2h}, "second");
  put({"{}", now(), now() + 4h}, "later");
  put({"{}", now(), std::nullopt}, "ended");
  put({"{}", now(), now(), true}, "paused");
  apply(PutSchedule{"globex", "theirs", fresh_id(), {"{}", now(), now() + 90min}, "k"});

  EXPECT_EQ(store().next_schedule(), now() + 1h);
  EXPECT_TRUE(store().due_schedules(now() + 1h - 1ms, 10).empty());
  EXPECT_EQ(names(store().due_schedules(now() + 1h, 10)), std::vector<std::string>{"first"});
  EXPECT_EQ(names(store().due_schedules(now() + 3h, 10)),
            (std::vector<std::string>{"first", "theirs", "second", "third"}));
  EXPECT_EQ(names(store().due_schedules(now() + 3h, 2)), (std::vector<std::string>{"first", "theirs"}));
}

TEST_P(ScheduleContract, ATenantsAreListedByNameAPageAtATime) {
  for (const char* name : {"c", "a", "d", "b"}) put(draft(), name);
  apply(PutSchedule{"globex", "aa", fresh_id(), draft(), "k"});

  EXPECT_EQ(names(store().schedules(default_tenant, "", 3)), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(names(store().schedules(default_tenant, "c", 3)), std::vector<std::string>{"d"});
  EXPECT_EQ(names(store().schedules("globex", "", 3)), std::vector<std::string>{"aa"});
  EXPECT_TRUE(store().schedules("nobody", "", 3).empty());
}

TEST_P(ScheduleContract, NoTenantHasMoreThanItMay) {
  std::vector<Command> all;
  for (std::size_t i = 0; i < domain::limits::schedules_max; ++i)
    all.push_back(PutSchedule{tenant(), "s" + std::to_string(i), fresh_id(), draft(), "k"});
  apply_all(all);

  const Outcome refused = apply(PutSchedule{tenant(), "more", fresh_id(), draft(), "k"});

  EXPECT_EQ(as<Rejected>(refused).error.code, ErrorCode::tenant_limit);
  EXPECT_TRUE(put_stored(draft("2"), "s7").changed);
  EXPECT_TRUE(as<ScheduleStored>(apply(PutSchedule{"globex", "more", fresh_id(), draft(), "k"})).changed);
}

/// A tenant with one open task has all that it may have.
class LimitedScheduleContract : public ScheduleContract {
 protected:
  LimitedScheduleContract() : ScheduleContract({.open_tasks = 1}) {}
};
SEMEL_ON_ALL_STORES(LimitedScheduleContract);

TEST_P(LimitedScheduleContract, ATaskThatTheLimitRefusesIsRecordedAndNothingIsCancelledForIt) {
  const ScheduleRecord made = put(draft());
  const ScheduleAdvanced first = advanced(fire_at(made, now()));
  AdvanceSchedule command = fire_at(*first.schedule, now() + 1h);
  command.firings[0].cancels = first.schedule->task;

  const ScheduleAdvanced second = advanced(command);

  EXPECT_EQ(second.firings.at(0).outcome, FiringOutcome::refused);
  EXPECT_THAT(second.schedule->last->error, testing::HasSubstr("1"));
  EXPECT_EQ(second.schedule->handled, now() + 1h);
  EXPECT_EQ(second.schedule->task, first.schedule->task);
  EXPECT_EQ(state_of(*first.schedule->task), State::pending);
}

}  // namespace
}  // namespace semel::test
