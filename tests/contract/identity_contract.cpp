#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

class IdentityContract : public StoreContract {};
SEMEL_ON_ALL_STORES(IdentityContract);

TEST_P(IdentityContract, EveryReusePolicyMeetsEveryStateOfTheHolder) {
  for (const Reuse reuse : all_reuse) {
    for (const State state : reachable_states) {
      const std::string key = fmt::format("{} {}", name_of(reuse), name_of(state));
      SCOPED_TRACE(key);
      const std::string queue = "q" + std::to_string(static_cast<int>(state));
      const domain::ExecutionId holder = create_in(state, task().key(key));
      const Submit again = task().key(key).queue(queue).reuse(reuse);

      if (may_take_over(reuse, state)) {
        EXPECT_EQ(expect_created(again).previous, holder);
        EXPECT_EQ(find_holder(hash_of(key)).value().holder.id, again.spec.id);
      } else {
        const Held held = expect_held(again);
        EXPECT_EQ(held.holder.id, holder);
        EXPECT_EQ(held.holder.state, state);
        EXPECT_FALSE(held.by_id);
        EXPECT_EQ(describe(held.execution), describe(find(holder)));
        EXPECT_EQ(describe(find(again.spec.id)), "-");
      }
      if (state == State::pending) cancel(holder);  // leaves the queue empty for the next round
    }
  }
}

TEST_P(IdentityContract, ANewExecutionIsStoredAsItWasSubmitted) {
  const Submit submit =
      task().key("order-1").context(R"({"amount":100})").priority(-7).head_start(90s).with([](Submit& s) {
        s.spec.named_task = named_task("shop", "charge");
        s.spec.labels = {{"customer", "42"}, {"region", "eu"}};
        s.spec.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        s.spec.identity.bucket = 1768910400;
        s.spec.identity.scope = domain::Scope::template_version;
        s.spec.created_by = "key-9";
      });

  const Created created = create(submit);

  EXPECT_EQ(created.id, submit.spec.id);
  EXPECT_EQ(created.created_at, now());
  EXPECT_EQ(created.run_at, now());
  EXPECT_TRUE(created.ready);
  EXPECT_EQ(created.previous, std::nullopt);
  domain::Execution expected;
  expected.spec = submit.spec;
  expected.created_at = now();
  expected.run_at = now();
  EXPECT_EQ(describe(find(submit.spec.id)), describe(expected));
  reopen();
  EXPECT_EQ(describe(find(submit.spec.id)), describe(expected));
}

TEST_P(IdentityContract, EveryKindAndModeIsStoredAsItWasSubmitted) {
  for (const domain::Kind kind : {domain::Kind::task, domain::Kind::workflow, domain::Kind::promise}) {
    for (const domain::Window& window : {ttl(1s), after_closing(0s), forever()}) {
      const Submit submit = task()
                                .strict(fmt::format("[{},{}]", static_cast<int>(kind), describe(window)))
                                .window(window)
                                .handler(kind == domain::Kind::workflow ? "workflow:order" : default_handler)
                                .with([&](Submit& s) { s.spec.kind = kind; });

      create(submit);

      EXPECT_EQ(describe(find(submit.spec.id).value().spec), describe(submit.spec));
      EXPECT_EQ(find_holder(submit.spec.identity.hash).value().holder.kind, kind);
    }
  }
}

TEST_P(IdentityContract, ExecutionsWithoutIdentityNeverMeet) {
  const Submit first = task().context("{}");
  const Submit second = task().context("{}");

  expect_created(first);
  expect_created(second);

  EXPECT_EQ(describe(find_holder(first.spec.identity.hash)), "-");
}

TEST_P(IdentityContract, ADuplicateChangesNothing) {
  const Submit first = task().key("a").context("1");
  create(first);
  claim_one();
  const std::string before = describe(find(first.spec.id)) + describe_all(attempts(first.spec.id));

  advance(1s);
  expect_held(task().key("a").context("2").priority(9));

  EXPECT_EQ(describe(find(first.spec.id)) + describe_all(attempts(first.spec.id)), before);
}

TEST_P(IdentityContract, OfTwoEqualIdentitiesInOneBatchTheFirstWins) {
  const Submit first = task().key("a").context("1");
  const Submit other = task().key("b");
  const Submit second = task().key("a").context("2").reuse(Reuse::allow_duplicate);

  const std::vector<Outcome> outcomes = apply_all({first, other, second});

  EXPECT_EQ(as<Created>(outcomes.at(0)).id, first.spec.id);
  EXPECT_EQ(as<Created>(outcomes.at(1)).id, other.spec.id);
  const Held held = as<Held>(outcomes.at(2));
  EXPECT_EQ(held.holder.id, first.spec.id);
  ASSERT_TRUE(held.execution.has_value());
  EXPECT_EQ(held.execution->spec.context, "1");
  EXPECT_EQ(describe(find(second.spec.id)), "-");
}

TEST_P(IdentityContract, TheFirstInABatchWinsAlsoWhenItsIdIsTheGreater) {
  const Submit smaller = task().key("a");
  const Submit greater = task().key("a");

  const std::vector<Outcome> outcomes = apply_all({greater, smaller});

  EXPECT_EQ(as<Created>(outcomes.at(0)).id, greater.spec.id);
  EXPECT_EQ(as<Held>(outcomes.at(1)).holder.id, greater.spec.id);
}

TEST_P(IdentityContract, TheFirstInABatchTakesOverAndTheSecondFindsIt) {
  const domain::ExecutionId failed = create_in(State::failed, task().key("a"));
  const Submit first = task().key("a");
  const Submit second = task().key("a");

  const std::vector<Outcome> outcomes = apply_all({first, second});

  EXPECT_EQ(as<Created>(outcomes.at(0)).previous, failed);
  EXPECT_EQ(as<Held>(outcomes.at(1)).holder.id, first.spec.id);
}

TEST_P(IdentityContract, InABatchALaterPolicyMayTakeOverWhatAnEarlierOneMayNot) {
  const domain::ExecutionId completed = create_in(State::completed, task().key("a"));
  const Submit strictest = task().key("a").reuse(Reuse::reject_duplicate);
  const Submit free = task().key("a").reuse(Reuse::allow_duplicate);

  const std::vector<Outcome> outcomes = apply_all({strictest, free});

  EXPECT_EQ(as<Held>(outcomes.at(0)).holder.id, completed);
  EXPECT_EQ(as<Created>(outcomes.at(1)).previous, completed);
}

TEST_P(IdentityContract, ALargeBatchWithManyRepetitionsCreatesEachIdentityOnce) {
  std::vector<Command> commands;
  for (int i = 0; i < 500; ++i) commands.push_back(task().key("key-" + std::to_string(i * 7 % 50)));

  const std::vector<Outcome> outcomes = apply_all(commands);

  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (i < 50) {
      EXPECT_EQ(as<Created>(outcomes[i]).id, std::get<Submit>(commands[i]).spec.id);
    } else {
      EXPECT_EQ(as<Held>(outcomes[i]).holder.id, std::get<Submit>(commands[i % 50]).spec.id);
    }
  }
}

TEST_P(IdentityContract, TakingOverTwiceLinksEachToTheOneBefore) {
  const domain::ExecutionId first = create_in(State::failed, task().key("a"));
  const Submit second = task().key("a");
  EXPECT_EQ(expect_created(second).previous, first);
  fail(claim_one());
  const Submit third = task().key("a");

  EXPECT_EQ(expect_created(third).previous, second.spec.id);

  EXPECT_EQ(find(third.spec.id).value().previous, second.spec.id);
  EXPECT_EQ(find(second.spec.id).value().previous, first);
  EXPECT_EQ(find(first).value().previous, std::nullopt);
  EXPECT_EQ(state_of(first), State::failed);
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, third.spec.id);
  reopen();
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, third.spec.id);
}

TEST_P(IdentityContract, TheNewestHolderIsNotTheOneWithTheGreatestId) {
  const Submit later_in_time = task();
  const domain::ExecutionId greater = ids_.execution(ManualClock::start + 1h);
  create_in(State::failed, task().key("a").with([&](Submit& s) { s.spec.id = greater; }));
  const Submit taker = SubmitBuilder(later_in_time.spec.id).key("a");

  EXPECT_EQ(expect_created(taker).previous, greater);

  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, taker.spec.id);
  reopen();
  EXPECT_EQ(find_holder(hash_of("a")).value().holder.id, taker.spec.id);
  EXPECT_EQ(expect_held(task().key("a")).holder.id, taker.spec.id);
}

TEST_P(IdentityContract, AnIdentityThatNobodyCarriesHasNoHolder) {
  create(task().key("a"));

  EXPECT_EQ(describe(find_holder(hash_of("b"))), "-");
}

TEST_P(IdentityContract, HashesThatDifferInTheLastBitAreTwoIdentities) {
  Hash32 hash{};
  Hash32 neighbour{};
  neighbour.back() = 1;

  expect_created(task().identity(domain::Mode::context, hash));
  expect_created(task().identity(domain::Mode::context, neighbour));
  expect_held(task().identity(domain::Mode::context, hash));
}

TEST_P(IdentityContract, OneHashInTwoTenantsIsTwoIdentities) {
  const Submit ours = task().key("a");
  const Submit theirs = task().key("a").tenant("globex");

  const std::vector<Outcome> outcomes = apply_all({ours, theirs});

  EXPECT_EQ(as<Created>(outcomes.at(0)).id, ours.spec.id);
  EXPECT_EQ(as<Created>(outcomes.at(1)).id, theirs.spec.id);
  EXPECT_EQ(expect_held(task().key("a")).holder.id, ours.spec.id);
  EXPECT_EQ(expect_held(task().key("a").tenant("globex")).holder.id, theirs.spec.id);
  EXPECT_EQ(store().find_holder("globex", hash_of("a")).value().holder.id, theirs.spec.id);
  EXPECT_EQ(describe(store().find_holder("initech", hash_of("a"))), "-");
  EXPECT_EQ(describe(store().find("globex", ours.spec.id)), "-");
}

TEST_P(IdentityContract, OneIdInTwoTenantsIsTwoExecutions) {
  const domain::ExecutionId id = ids_.execution();
  const Submit ours = task().client_id(id).context("1");
  const Submit theirs = task().client_id(id).context("2").tenant("globex");

  const std::vector<Outcome> outcomes = apply_all({ours, theirs});

  as<Created>(outcomes.at(0));
  as<Created>(outcomes.at(1));
  EXPECT_EQ(find(id).value().spec.context, "1");
  EXPECT_EQ(store().find("globex", id).value().spec.context, "2");
  cancel(id);
  EXPECT_EQ(store().find("globex", id).value().state, State::pending);
  EXPECT_EQ(remove(id), Removed::Kind::left_tombstone);
  EXPECT_EQ(describe(store().find_tombstone("globex", id)), "-");
  EXPECT_TRUE(store().find("globex", id).has_value());
}

TEST_P(IdentityContract, AProbeAnswersManyAtOnceAndInOrder) {
  const Submit held = task().key("a");
  create(held);
  Submit again = task().key("a");
  Submit fresh = task().key("b");
  Submit unidentified = task();
  const std::vector<Submit*> asked{&fresh, &again, &unidentified, &again};

  const std::vector<std::optional<Held>> found = store().probe(asked);

  ASSERT_EQ(found.size(), 4u);
  EXPECT_FALSE(found[0].has_value());
  EXPECT_EQ(found[1]->holder.id, held.spec.id);
  EXPECT_FALSE(found[2].has_value());
  EXPECT_EQ(found[3]->holder.id, held.spec.id);
  EXPECT_EQ(describe(find(fresh.spec.id)), "-");
}

/// A probe may be long past when its submission is applied: what it noted must then not be trusted too far.
TEST_P(IdentityContract, AClaimBetweenProbeAndApplyIsSeen) {
  for (int others = 0; others < 12; ++others) {  // as many as make stores move their identities about
    const std::string key = "late-" + std::to_string(others);
    Submit probed = task().key(key);
    Submit* const asked = &probed;
    ASSERT_FALSE(store().probe({&asked, 1}).at(0).has_value());
    const Created first = create(task().key(key));
    for (int i = 0; i < others; ++i) create(task().key(key + "/" + std::to_string(i)));
    while (store().tidy_up()) {
    }

    const Outcome outcome = apply(probed);

    ASSERT_TRUE(std::holds_alternative<Held>(outcome)) << key;
    EXPECT_EQ(std::get<Held>(outcome).holder.id, first.id);
  }
}

TEST_P(IdentityContract, ATombstoneBetweenProbeAndApplyIsSeen) {
  Submit probed = task().key("a");
  Submit* const asked = &probed;
  ASSERT_FALSE(store().probe({&asked, 1}).at(0).has_value());
  const domain::ExecutionId gone = create_in(State::completed, task().key("a"));
  remove(gone);

  const Outcome outcome = apply(probed);

  ASSERT_TRUE(std::holds_alternative<Held>(outcome));
  EXPECT_TRUE(std::get<Held>(outcome).holder.tombstone);
}

}  // namespace
}  // namespace semel::test
