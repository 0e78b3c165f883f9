#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <mutex>

#include "tests/unit/postgres/workflow_fixture.hpp"

namespace semel::test {
namespace {

using domain::HistoryKind;
using domain::State;

/// What happens to code workflows when servers get in each other's way.
class PostgresWorkflowRaces : public PostgresWorkflows {
 protected:
  void SetUp() override {
    for (int i = 0; i < stores_max; ++i) stores_.push_back(open());
  }
  Store& store(int number) { return *stores_[static_cast<std::size_t>(number)]; }

  static constexpr int stores_max = 4;
  static constexpr int rounds = 100;
  std::vector<std::unique_ptr<store::PostgresStore>> stores_;
};

TEST_F(PostgresWorkflowRaces, TasksThatEndAtOnceOnTwoServersAreBothToldOnce) {
  const std::int64_t deadlocks_before = deadlocks();
  for (int round = 0; round < rounds; ++round) {
    const domain::ExecutionId workflow = begin(store(0));
    apply(store(0), answer_to(activate(store(0)), {a_task("left"), a_task("right")}));
    const std::map<std::string, Lease> leases = lease_all(store(0));
    std::barrier together(2);

    in_threads(2, [&](int number) {
      const Lease& lease = leases.at(number == 0 ? "left#1" : "right#2");
      together.arrive_and_wait();
      EXPECT_EQ(as<AttemptAnswer>(apply(store(number), completed(lease))).kind, AttemptAnswer::Kind::recorded);
    });

    ASSERT_EQ(count_in_history(store(2), workflow, HistoryKind::task_completed), 2) << "round " << round;
    const Lease lease = activate(store(3));
    ASSERT_EQ(lease.activation->events.size(), 2u);
    EXPECT_EQ(store(3).workflow(default_tenant, workflow)->facts.open_children, 0);
    EXPECT_EQ(as<AttemptAnswer>(apply(store(3), answer_to(lease, {}, code::Complete{"1"}))).state, State::completed);
  }
  EXPECT_EQ(count("attempts WHERE outcome = 0"), 0);
  EXPECT_EQ(deadlocks(), deadlocks_before);
}

TEST_F(PostgresWorkflowRaces, AnAnswerBesideATaskThatEndsNeverLosesTheWakeUp) {
  const std::int64_t deadlocks_before = deadlocks();
  for (int round = 0; round < 2 * rounds; ++round) {
    const domain::ExecutionId workflow = begin(store(0));
    apply(store(0), answer_to(activate(store(0)), {a_task("a"), a_task("b")}));
    const std::map<std::string, Lease> leases = lease_all(store(0));
    apply(store(0), completed(leases.at("a#1")));
    const Lease lease = activate(store(0));
    std::barrier together(2);

    in_threads(2, [&](int number) {
      together.arrive_and_wait();
      if (number == 0) apply(store(0), completed(leases.at("b#2")));
      else apply(store(1), answer_to(lease, {}));
    });

    ASSERT_EQ(state_of(store(2), workflow), State::pending) << "round " << round;
    const Lease next = activate(store(3));
    ASSERT_EQ(next.activation->events.size(), 1u);
    apply(store(3), answer_to(next, {}, code::Complete{}));
  }
  EXPECT_EQ(deadlocks(), deadlocks_before);
}

TEST_F(PostgresWorkflowRaces, AnAnswerThatIsSentTwiceAtOnceCountsOnce) {
  for (int round = 0; round < rounds; ++round) {
    const domain::ExecutionId workflow = begin(store(0));
    const EndActivation answer = answer_to(activate(store(0)), {a_task("a"), code::StartTimer{std::nullopt, 1h}});
    std::barrier together(2);
    std::vector<AttemptAnswer::Kind> kinds(2);

    in_threads(2, [&](int number) {
      together.arrive_and_wait();
      kinds[static_cast<std::size_t>(number)] = as<AttemptAnswer>(apply(store(number), answer)).kind;
    });

    std::sort(kinds.begin(), kinds.end());
    EXPECT_EQ(kinds[0], AttemptAnswer::Kind::recorded);
    EXPECT_EQ(kinds[1], AttemptAnswer::Kind::already_recorded);
    EXPECT_EQ(store(2).history(default_tenant, workflow, 0, 10).size(), 3u);
    apply(store(2), Cancel{tenant(), workflow, true, "boss", ""});
  }
  EXPECT_EQ(count("executions WHERE task_key = 'a#1'"), rounds);
  EXPECT_EQ(count("timers"), 0);
}

TEST_F(PostgresWorkflowRaces, AnActivationThatIsLostWhileItIsAnsweredComesToOneOfBoth) {
  for (int round = 0; round < rounds; ++round) {
    const domain::ExecutionId workflow = begin(store(0));
    const EndActivation answer = answer_to(activate(store(0), 1, "order", 10s).at(0), {a_task("a")});
    clock_.advance(10s);
    std::barrier together(2);
    AttemptAnswer::Kind kind{};

    in_threads(2, [&](int number) {
      together.arrive_and_wait();
      if (number == 0) apply(store(0), ExpireLeases{});
      else kind = as<AttemptAnswer>(apply(store(1), answer)).kind;
    });

    const bool is_recorded = kind == AttemptAnswer::Kind::recorded;
    EXPECT_EQ(state_of(store(2), workflow), is_recorded ? State::suspended : State::pending);
    EXPECT_EQ(store(2).attempts(default_tenant, workflow).size(), is_recorded ? 0u : 1u);
    apply(store(2), Cancel{tenant(), workflow, true, "boss", ""});
  }
  EXPECT_EQ(count("executions WHERE closed_at IS NULL"), 0);
}

TEST_F(PostgresWorkflowRaces, TimersThatTwoServersFireAtOnceFireOnce) {
  constexpr int timers = 20;
  const domain::ExecutionId workflow = begin(store(0));
  apply(store(0), answer_to(activate(store(0)), std::vector<What>(timers, code::StartTimer{std::nullopt, 1s})));
  clock_.advance(1s);
  std::barrier together(stores_max);

  in_threads(stores_max, [&](int number) {
    together.arrive_and_wait();
    for (int i = 0; i < timers / 2; ++i) apply(store(number), PromoteDue{3});
  });

  EXPECT_EQ(count("timers"), 0);
  EXPECT_EQ(count_in_history(store(0), workflow, HistoryKind::timer_fired), timers);
  EXPECT_EQ(activate(store(1)).activation->events.size(), static_cast<std::size_t>(timers));
}

TEST_F(PostgresWorkflowRaces, AParentThatIsCancelledWhileItsChildEndsComesToOneEnd) {
  for (int round = 0; round < rounds / 2; ++round) {
    const domain::ExecutionId parent = begin(store(0));
    apply(store(0), answer_to(activate(store(0)), {a_child("pack"), a_task("a")}));
    const Lease child = activate(store(0), "pack");
    const std::map<std::string, Lease> leases = lease_all(store(0));
    std::barrier together(3);

    in_threads(3, [&](int number) {
      together.arrive_and_wait();
      if (number == 0) apply(store(0), Cancel{tenant(), parent, false, "boss", ""});
      else if (number == 1) apply(store(1), answer_to(child, {a_task("b")}, code::Complete{"1"}));
      else apply(store(2), completed(leases.at("a#2")));
    });

    EXPECT_EQ(state_of(store(3), parent), State::cancelled) << "round " << round;
  }
  EXPECT_EQ(count("executions WHERE closed_at IS NULL"), 0);
  EXPECT_EQ(count("workflows WHERE open_children <> 0 AND phase <> 3"), 0);
}

/// Each workflow begins two tasks and a timer at a time, and goes on when all of these have ended.
class PostgresWorkflowHerd : public PostgresWorkflowRaces {
 protected:
  static constexpr int workflows = 20;
  static constexpr std::int64_t turns = 4;
  static constexpr int idle_max = 20'000;  // looks that found nothing: then somebody was forgotten

  Command next_answer(Store& store, const Lease& lease) {
    const domain::ExecutionId id = lease.execution.spec.id;
    const std::int64_t ended = count_in_history(store, id, HistoryKind::task_completed) +
                               count_in_history(store, id, HistoryKind::timer_fired);
    const std::int64_t begun = lease.activation->last_command;
    if (ended < begun) return answer_to(lease, {});
    if (begun == 3 * turns) return answer_to(lease, {}, code::Complete{"1"});
    return answer_to(lease, {a_task("a"), a_task("b"), code::StartTimer{std::nullopt, 0s}});
  }

  bool work_once(Store& store) {
    std::vector<Command> answers;
    for (const Lease& lease : activate(store, 3)) answers.push_back(next_answer(store, lease));
    for (const auto& [key, lease] : lease_all_of_tasks(store)) answers.push_back(completed(lease));
    answers.emplace_back(PromoteDue{5});
    for (const Outcome& outcome : apply(store, answers)) {
      const auto* answer = std::get_if<AttemptAnswer>(&outcome);
      if (answer == nullptr) continue;
      EXPECT_EQ(answer->kind, AttemptAnswer::Kind::recorded);
      const bool is_over = answer->state == State::completed && names_workflow(store, answer->execution_id);
      if (is_over) ++closed_;
    }
    return answers.size() > 1;
  }

  std::vector<std::pair<domain::ExecutionId, Lease>> lease_all_of_tasks(Store& store) {
    std::vector<std::pair<domain::ExecutionId, Lease>> leases;
    for (Lease& lease : as<Claimed>(apply(store, claim_of(ids_, 4))).leases)
      leases.emplace_back(lease.execution.spec.id, std::move(lease));
    return leases;
  }
  static bool names_workflow(Store& store, domain::ExecutionId id) {
    return store.workflow(default_tenant, id).has_value();
  }

  std::atomic<int> closed_ = 0;
};

TEST_F(PostgresWorkflowHerd, ManyServersRunWorkflowsToTheirEndsAndForgetNone) {
  std::vector<domain::ExecutionId> begun;
  for (int i = 0; i < workflows; ++i) begun.push_back(begin(store(i % stores_max)));

  in_threads(stores_max, [&](int number) {
    int idle = 0;
    while (closed_ < workflows && idle < idle_max) idle = work_once(store(number)) ? 0 : idle + 1;
    EXPECT_LT(idle, idle_max) << "workflows were left suspended: " << forgotten();
  });

  EXPECT_EQ(forgotten(), 0);
  for (const domain::ExecutionId id : begun) {
    EXPECT_EQ(state_of(store(0), id), State::completed);
    EXPECT_EQ(count_in_history(store(0), id, HistoryKind::task_completed), 2 * turns);
    EXPECT_EQ(count_in_history(store(0), id, HistoryKind::timer_fired), turns);
    EXPECT_EQ(count_in_history(store(0), id, HistoryKind::task_scheduled), 2 * turns);
  }
  EXPECT_EQ(count("executions WHERE run IS NOT NULL"), workflows * 2 * turns);
  EXPECT_EQ(count("attempts WHERE outcome = 0"), 0);
}

TEST_F(PostgresWorkflowRaces, OtherServersHearThatAWorkflowIsReadyAndThatItHasClosed) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Change> heard;
  const auto await = [&](auto is_it) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return std::any_of(heard.begin(), heard.end(), is_it); });
  };
  std::promise<void> listens;
  store(1).listen([&](const News& news) {
    const std::lock_guard lock(mutex);
    if (news.leads_now) listens.set_value();
    heard.insert(heard.end(), news.changes.begin(), news.changes.end());
    changed.notify_all();
  });
  listens.get_future().wait();
  store(0).listen([](const News&) {});  // whoever listens tells
  const domain::ExecutionId workflow = begin(store(0));
  apply(store(0), answer_to(activate(store(0)), {a_task("a")}));
  const auto changed_to = [&](State state, bool is_ready) {
    return [=](const Change& each) {
      return each.id == workflow && each.state == state && each.is_ready == is_ready &&
             each.handler == "workflow:order" && !(state == State::pending && each.is_new);
    };
  };

  apply(store(0), completed(lease_all(store(0)).at("a#1")));
  await(changed_to(State::pending, true));
  apply(store(0), answer_to(activate(store(0)), {}, code::Complete{}));
  await(changed_to(State::completed, false));

  store(0).listen({});
  store(1).listen({});
}

}  // namespace
}  // namespace semel::test
