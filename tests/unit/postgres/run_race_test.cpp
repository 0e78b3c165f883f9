#include <atomic>
#include <barrier>

#include "tests/unit/postgres/run_fixture.hpp"

namespace semel::test {
namespace {

using Builder = StepBuilder;
using domain::State;

/// What happens to runs when servers get in each other's way.
class PostgresRunRaces : public PostgresRuns {
 protected:
  void SetUp() override {
    for (int i = 0; i < stores_max; ++i) stores_.push_back(open());
  }
  Store& store(int number) { return *stores_[static_cast<std::size_t>(number)]; }

  static constexpr int stores_max = 4;
  std::vector<std::unique_ptr<store::PostgresStore>> stores_;
};

TEST_F(PostgresRunRaces, UpstreamsThatEndAtOnceOnTwoServersMakeTheirStepOnce) {
  constexpr int rounds = 100;
  const std::int64_t deadlocks_before = deadlocks();
  for (int round = 0; round < rounds; ++round) {
    const domain::ExecutionId run =
        start(store(0), {Builder("left"), Builder("right"), Builder("meet", {"left", "right"})});
    const std::map<std::string, Lease> leases = lease_all(store(0));
    std::barrier together(2);

    in_threads(2, [&](int number) {
      const Lease& lease = leases.at(number == 0 ? "left" : "right");
      together.arrive_and_wait();
      EXPECT_EQ(as<AttemptAnswer>(apply(store(number), completed(lease))).kind, AttemptAnswer::Kind::recorded);
    });

    const std::map<std::string, Lease> next = lease_all(store(1));
    ASSERT_EQ(next.size(), 1u) << "round " << round;
    ASSERT_EQ(next.begin()->first, "meet");
    apply(store(2), completed(next.at("meet")));
    EXPECT_EQ(store(3).find(default_tenant, run)->state, State::completed);
  }
  EXPECT_EQ(count("executions WHERE task_key = 'meet'"), rounds);
  EXPECT_EQ(count("history WHERE kind = 1 AND task_key = 'meet'"), rounds);
  EXPECT_EQ(deadlocks(), deadlocks_before);
}

TEST_F(PostgresRunRaces, ManyServersWorkOffOneFanOutAndJoinItOnce) {
  constexpr int items = 240;
  std::string array = "[0";
  for (int i = 1; i < items; ++i) array += "," + std::to_string(i);
  const domain::ExecutionId run =
      start(store(0), {Builder("mail").for_each("", "", 40), Builder("sum", {"mail"})}, array + "]");
  std::atomic<int> worked = 0;
  const std::int64_t deadlocks_before = deadlocks();

  in_threads(stores_max, [&](int number) {
    while (worked < items) {
      Claim claim = claim_of(ids_, 7);
      claim.handlers = {{"do_mail"}};
      std::vector<Command> answers;
      for (const Lease& lease : as<Claimed>(apply(store(number), claim)).leases)
        answers.push_back(completed(lease, *lease.execution.spec.step->item));
      if (answers.empty()) std::this_thread::yield();
      else apply(store(number), answers);
      worked += static_cast<int>(answers.size());
    }
  });

  EXPECT_EQ(worked, items);
  const std::map<std::string, Lease> next = lease_all(store(0));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next.at("sum").input->upstream.at(0).result, array + "]");
  EXPECT_EQ(count("history WHERE kind = 7"), 1);
  EXPECT_EQ(count("history"), store(0).run(default_tenant, run)->history_length);
  EXPECT_EQ(deadlocks(), deadlocks_before);
}

TEST_F(PostgresRunRaces, AStepThatWaitsForAHolderWhichJustEndsIsAlwaysTold) {
  const Hash32 hash =
      domain::identity_hash({domain::Mode::key, default_tenant, domain::Scope::tenant, "", "k", std::nullopt});
  for (int round = 0; round < 50; ++round) {
    const Submit holder = task().handler("do_pay").identity(domain::Mode::key, hash).with([](Submit& each) {
      each.spec.key = "k";
      each.spec.window = after_closing(Duration{0});  // the next round has the key to itself
    });
    apply(store(0), holder);
    const std::map<std::string, Lease> leases = lease_all(store(0));
    const Submit run = run_of({Builder("pay").key("k"), Builder("ship", {"pay"})});
    std::barrier together(2);

    in_threads(2, [&](int number) {
      together.arrive_and_wait();
      if (number == 0) apply(store(0), completed(leases.at("do_pay"), "7"));
      else apply(store(1), run);
    });

    // Either it has the result of the holder, or it came when the key was free again, and works itself.
    std::map<std::string, Lease> next = lease_all(store(2));
    ASSERT_EQ(next.size(), 1u) << "round " << round;
    if (next.contains("pay")) {
      apply(store(2), completed(next.at("pay"), "7"));
      next = lease_all(store(2));
    }
    EXPECT_EQ(next.at("ship").input->upstream.at(0).result, "7");
    apply(store(2), completed(next.at("ship")));
    EXPECT_EQ(store(3).find(default_tenant, run.spec.id)->state, State::completed);
    apply(store(3), Release{tenant(), hash, false, "admin"});
  }
  EXPECT_EQ(count("attachments"), 0);
}

TEST_F(PostgresRunRaces, APlanIsThereForANewRunWhileTheLastOneThatHadItIsRemoved) {
  for (int round = 0; round < 50; ++round) {
    const domain::ExecutionId old = start(store(0), {Builder("only")});
    apply(store(0), completed(lease_all(store(0)).at("only")));
    const Submit fresh = run_of({Builder("only")});
    std::barrier together(2);

    in_threads(2, [&](int number) {
      together.arrive_and_wait();
      if (number == 0) apply(store(0), Remove{tenant(), old});
      else apply(store(1), fresh);
    });

    EXPECT_EQ(count("plans"), 1) << "round " << round;
    apply(store(2), completed(lease_all(store(2)).at("only")));
    apply(store(2), Remove{tenant(), fresh.spec.id});
    EXPECT_EQ(count("plans"), 0) << "round " << round;
  }
}

TEST_F(PostgresRunRaces, ARunThatIsCancelledWhileItsTasksEndComesToOneEnd) {
  for (int round = 0; round < 50; ++round) {
    const domain::ExecutionId run = start(store(0), {Builder("a"), Builder("b"), Builder("c", {"a", "b"})});
    const std::map<std::string, Lease> leases = lease_all(store(0));
    std::barrier together(3);

    in_threads(3, [&](int number) {
      together.arrive_and_wait();
      if (number == 2) apply(store(2), Cancel{tenant(), run, false, "boss", "enough"});
      else apply(store(number), completed(leases.at(number == 0 ? "a" : "b")));
    });

    for (const auto& [key, lease] : lease_all(store(3))) apply(store(3), completed(lease));
    apply(store(3), Cancel{tenant(), run, true, "boss", "enough"});
    EXPECT_TRUE(domain::is_closed(store(3).find(default_tenant, run)->state));
    EXPECT_EQ(count("executions WHERE closed_at IS NULL"), 0);
  }
}

}  // namespace
}  // namespace semel::test
