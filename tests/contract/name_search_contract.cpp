#include "domain/attempt_timer.hpp"
#include "tests/contract/dispatch_contract.hpp"

namespace semel::test {
namespace {

using TimerType = domain::AttemptTimer::Type;

/// External identifiers that are stored nowhere: which executions they are of, and that one page looks at so many and
/// for so long at most (ADR 0028).
class NameSearchContract : public DispatchedTasks {
 protected:
  static constexpr std::string_view polled = "polled";  // a queue without a target

  static ListQuery looking_for(std::string external_id, std::size_t executions_max = 1'000) {
    ListQuery query;
    query.tenant = default_tenant;
    query.named = NameSearch{{std::move(external_id)}, executions_max, Time::max()};
    return query;
  }
  /// What is found, over all pages.
  std::vector<domain::ExecutionId> found(ListQuery query) {
    std::vector<domain::ExecutionId> ids;
    do {
      const Page page = store().list(query).value();
      for (const domain::Execution& each : page.executions) ids.push_back(each.spec.id);
      query.cursor = page.next;
    } while (query.cursor);
    return ids;
  }
  std::vector<domain::ExecutionId> found(const std::string& external_id) { return found(looking_for(external_id)); }

  /// One that is tried again ten minutes after it failed.
  SubmitBuilder stubborn_task() { return task().retry({3, domain::Backoff::fixed, 10min, 1h, 0}); }

  Lease poll_one() {
    Claim claim = claim_of(ids_, 1, domain::default_lease);
    claim.queues = {std::string(polled)};
    const std::vector<Lease> leases = as<Claimed>(apply(claim)).leases;
    EXPECT_EQ(leases.size(), 1u);
    return leases.at(0);
  }
  domain::ExecutionSpec spec_of(domain::ExecutionId id) { return find(id).value().spec; }
  std::string dispatch_name(domain::ExecutionId id, int attempt, int repair = 0) {
    return dispatch_ids_of(spec_of(id), attempt, repair).external;
  }
  std::string timer_name(domain::ExecutionId id, TimerType type, int attempt, Time at) {
    return timer_ids_of(spec_of(id), {type, attempt, at, domain::AttemptTimer::State::fired}).external;
  }
  /// Tasks that nobody has begun.
  void create_others(int count) {
    std::vector<Command> commands;
    for (int i = 0; i < count; ++i) commands.emplace_back(Submit(task().queue(polled)));
    apply_all(commands);
  }
};
SEMEL_ON_ALL_STORES(NameSearchContract);

using Found = std::vector<domain::ExecutionId>;

TEST_P(NameSearchContract, FindsTheDispatchesOfTasksThatWorkersPolled) {
  const domain::ExecutionId id = create(stubborn_task().queue(polled)).id;
  create(task().queue(polled).tenant("globex"));
  fail(poll_one().attempt_id);
  const std::string first = dispatch_name(id, 1);
  EXPECT_EQ(found(first), Found{id});
  EXPECT_EQ(found(dispatch_name(id, 2)), Found{}) << "it has not begun";
  advance(1h);
  promote();

  complete(poll_one().attempt_id);

  EXPECT_EQ(found(first), Found{id});
  EXPECT_EQ(found(dispatch_name(id, 2)), Found{id});
  reopen();
  EXPECT_EQ(found(dispatch_name(id, 2)), Found{id});
  ListQuery elsewhere = looking_for(first);
  elsewhere.tenant = "globex";
  EXPECT_EQ(found(elsewhere), Found{});
}

TEST_P(NameSearchContract, FindsEveryNameThatADispatchHad) {
  const domain::ExecutionId id = create(task()).id;
  const Lease lease = push_one();
  for (int repairs = 0; repairs < 2; ++repairs) {
    accepted(lease.attempt_id, 5min, repairs);
    repair(id);
  }

  for (int repairs = 0; repairs <= 2; ++repairs) EXPECT_EQ(found(dispatch_name(id, 1, repairs)), Found{id}) << repairs;
  EXPECT_EQ(found(dispatch_name(id, 1, 3)), Found{});
  complete(lease.attempt_id);
  EXPECT_EQ(found(dispatch_name(id, 1, 1)), Found{id}) << "also when it is over";
}

TEST_P(NameSearchContract, FindsTheTimersOfTasksThatWorkersPolled) {
  const domain::ExecutionId id = create(stubborn_task().queue(polled)).id;
  const Lease lease = poll_one();
  const Time begun = now();
  EXPECT_EQ(found(timer_name(id, TimerType::heartbeat, 1, begun + domain::default_lease)), Found{id});
  advance(10s);
  heartbeat(lease.attempt_id);
  advance(5s);
  fail(lease.attempt_id);
  const Time due = find(id).value().run_at;

  EXPECT_EQ(found(timer_name(id, TimerType::heartbeat, 1, begun + domain::default_lease)), Found{id}) << "was moved";
  EXPECT_EQ(found(timer_name(id, TimerType::heartbeat, 1, begun + 10s + domain::default_lease)), Found{id});
  EXPECT_EQ(found(timer_name(id, TimerType::heartbeat, 1, begun + 11s + domain::default_lease)), Found{});
  EXPECT_EQ(found(timer_name(id, TimerType::retry, 1, due)), Found{id});
  EXPECT_EQ(found(timer_name(id, TimerType::retry, 2, due)), Found{});
  cancel(id);
  EXPECT_EQ(found(timer_name(id, TimerType::retry, 1, due)), Found{id}) << "also when it is over";
}

TEST_P(NameSearchContract, FindsTheTimersOfPushedTasks) {
  const domain::ExecutionId id = create(stubborn_task()).id;
  const Lease lease = push_one();
  accepted(lease.attempt_id, 5min);
  EXPECT_EQ(found(timer_name(id, TimerType::heartbeat, 1, now() + 5min)), Found{id});
  fail(lease.attempt_id);
  const Time due = find(id).value().run_at;
  advance(2h);  // it waits for its turn
  promote();

  push_one();

  EXPECT_EQ(found(timer_name(id, TimerType::retry, 1, due)), Found{id});
}

TEST_P(NameSearchContract, EndsAPageAfterSoManyAndTheCursorLeadsOn) {
  const domain::ExecutionId id = create(task().queue(polled)).id;
  poll_one();
  const Time old = now();
  advance(1h);
  create_others(150);
  ListQuery query = looking_for(dispatch_name(id, 1), 100);

  const Page first = store().list(query).value();
  query.cursor = first.next;
  ASSERT_TRUE(first.next.has_value());
  const Page second = store().list(query).value();

  EXPECT_TRUE(first.executions.empty());
  EXPECT_EQ(first.looked_at, 100u);
  EXPECT_EQ(first.looked_back_to, old + 1h);
  ASSERT_EQ(second.executions.size(), 1u);
  EXPECT_EQ(second.executions[0].spec.id, id);
  EXPECT_EQ(second.looked_at, 51u);
  EXPECT_EQ(second.looked_back_to, old);
}

TEST_P(NameSearchContract, EndsAPageWhenItsTimeIsOverButNotBeforeItHasLookedAtSome) {
  create_others(200);
  ListQuery query = looking_for("d_aaaaaaaaaaaaaaaaaaaaaaaaaa");
  query.named->until = now();

  std::vector<std::size_t> looked_at;
  do {
    const Page page = store().list(query).value();
    looked_at.push_back(page.looked_at);
    query.cursor = page.next;
  } while (query.cursor);

  EXPECT_EQ(looked_at, (std::vector<std::size_t>{64, 64, 64, 8}));
}

}  // namespace
}  // namespace semel::test
