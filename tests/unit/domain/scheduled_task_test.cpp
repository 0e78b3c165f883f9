#include <gtest/gtest.h>

#include "domain/schedule/definition.hpp"
#include "tests/unit/domain/domain_builders.hpp"
#include "tests/unit/domain/schedule_builders.hpp"

/// The tasks that firings make, and what identifies them.
namespace semel::domain {
namespace {

using test::noon;
using test::payment;
using test::submission_of;

const ScheduleId schedule_id = *ScheduleId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
const Principal owner{"acme", "key-1", 0};

ScheduleDefinition definition_of(Submission task) {
  return {{.name = "nightly", .timing = OneOff{noon}}, std::move(task), "{}", "{}", std::nullopt};
}

ScheduleRecord record_of(ScheduleId id) {
  ScheduleRecord record;
  record.name = "nightly";
  record.id = id;
  return record;
}

Plan plan_of(const Submission& submission, const Template* template_ = nullptr, const QueueSettings& queue = {}) {
  Result<Plan> planned = plan(Submission(submission), {owner, template_, queue, {}, noon});
  EXPECT_TRUE(planned) << planned.error().message;
  return planned ? *std::move(planned) : Plan{};
}

TEST(ScheduledTask, SaysWhichFiringItIsOf) {
  Submission task = submission_of(nullptr);
  task.labels = {{"team", "a"}};

  const Submission submission = submission_for(definition_of(task), record_of(schedule_id), noon);

  EXPECT_EQ(submission.labels,
            (Labels{{"team", "a"}, {"semel.schedule", "nightly"}, {"semel.nominal_time", "2026-01-20T12:00:00.000Z"}}));
  EXPECT_EQ(plan_of(submission).spec.key, firing_key(schedule_id, noon));
}

TEST(ScheduledTask, IsIdentifiedByItsFiringAloneWhateverTheTemplateSays) {
  Template locked = payment();
  locked.identity.locked = true;
  locked.identity.reuse = Reuse::allow_duplicate;
  locked.identity.dedup_window = DedupWindow{DedupWindow::Kind::fixed, 1s};
  QueueSettings queue;
  queue.dedup_window = DedupWindow{DedupWindow::Kind::fixed, 2s};
  const Submission submission = submission_for(definition_of(submission_of(&locked)), record_of(schedule_id), noon);

  const Plan planned = plan_of(submission, &locked, queue);

  EXPECT_EQ(planned.spec.identity.mode, Mode::key);
  EXPECT_EQ(planned.spec.identity.scope, Scope::schedule);
  EXPECT_EQ(planned.scope_value, std::string(schedule_id.uuid.view()));
  EXPECT_EQ(planned.reuse, Reuse::reject_duplicate);
  EXPECT_EQ(planned.spec.window, (Window{Window::Kind::after_closing, default_task_retention}));
}

TEST(ScheduledTask, MeetsNoOtherFiringAndNoSubmissionWithItsKey) {
  const ScheduleId other_id = *ScheduleId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fd");
  const ScheduleDefinition definition = definition_of(submission_of(nullptr));
  const auto hash_of = [&](ScheduleId id, Time nominal) {
    return plan_of(submission_for(definition, record_of(id), nominal)).spec.identity.hash;
  };
  Submission forged = submission_of(nullptr);
  forged.key = firing_key(schedule_id, noon);

  EXPECT_EQ(hash_of(schedule_id, noon), hash_of(schedule_id, noon));
  EXPECT_NE(hash_of(schedule_id, noon), hash_of(schedule_id, noon + 1ms));
  EXPECT_NE(hash_of(schedule_id, noon), hash_of(other_id, noon));
  EXPECT_NE(hash_of(schedule_id, noon), plan_of(forged).spec.identity.hash);
  EXPECT_EQ(parse_scope("schedule"), std::nullopt);  // so that no template can have it
  EXPECT_EQ(name_of(Scope::schedule), "schedule");
  EXPECT_EQ(static_cast<int>(Scope::schedule), 4);
}

TEST(ScheduledTask, HasRoomForTheLabelsOfItsFiring) {
  Submission task = submission_of(nullptr);
  for (int i = 0; i < 14; ++i) task.labels.emplace_back("l" + std::to_string(i), "x");
  EXPECT_TRUE(check_task(task));

  task.labels.emplace_back("one more", "x");

  EXPECT_FALSE(check_task(task));
}

TEST(ScheduleRecord, IsPutOnceAndCountsEveryChange) {
  ScheduleRecord record = record_of(schedule_id);
  const ScheduleDraft draft{"1", noon, noon + 1h, std::nullopt};

  EXPECT_TRUE(put(record, draft, "key-1", noon));
  EXPECT_FALSE(put(record, {"1", noon + 1s, noon + 2h, false}, "key-2", noon + 1s));

  EXPECT_EQ(record.version, 1);
  EXPECT_EQ(record.handled, noon);
  EXPECT_EQ(record.changed_by, "key-1");
  EXPECT_TRUE(set_paused(record, true));
  EXPECT_FALSE(set_paused(record, true));
  EXPECT_TRUE(put(record, {"2", noon + 1s, std::nullopt, std::nullopt}, "key-2", noon + 1s));
  EXPECT_EQ(record.version, 3);
  EXPECT_TRUE(record.paused);
  EXPECT_EQ(record.next, std::nullopt);
  EXPECT_EQ(record.created_at, noon);
  EXPECT_EQ(record.changed_by, "key-2");
}

TEST(FiringOutcome, KeepsTheNumbersThatStoresHaveWritten) {
  EXPECT_EQ(static_cast<int>(FiringOutcome::submitted), 0);
  EXPECT_EQ(static_cast<int>(FiringOutcome::skipped), 1);
  EXPECT_EQ(static_cast<int>(FiringOutcome::cancelled_previous), 2);
  EXPECT_EQ(static_cast<int>(FiringOutcome::refused), 3);
}

}  // namespace
}  // namespace semel::domain
