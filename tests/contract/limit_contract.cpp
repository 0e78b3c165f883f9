#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// What one tenant may have open at once.
class LimitContract : public StoreContract {
 protected:
  LimitContract() : StoreContract({.open_tasks = 3, .payload_bytes = 100}) {}

  void expect_refused(const Submit& submit) {
    EXPECT_EQ(as<Rejected>(apply(submit)).error.code, ErrorCode::tenant_limit);
    EXPECT_EQ(store().find(submit.spec.tenant, submit.spec.id), std::nullopt);
  }
  static std::string text(std::size_t bytes) { return '"' + std::string(bytes - 2, 'x') + '"'; }
};
SEMEL_ON_ALL_STORES(LimitContract);

TEST_P(LimitContract, SoManyTasksMayBeOpen) {
  for (int i = 0; i < 3; ++i) create(task());

  expect_refused(task());
  reopen();
  expect_refused(task());
}

TEST_P(LimitContract, IsCountedWithinABatchToo) {
  const std::vector<Outcome> outcomes = apply_all({task(), task(), task(), task(), task()});

  for (std::size_t i = 0; i < 3; ++i) as<Created>(outcomes[i]);
  for (std::size_t i = 3; i < 5; ++i) as<Rejected>(outcomes[i]);
}

TEST_P(LimitContract, EveryWayOfClosingMakesRoom) {
  for (const State state : closed_states) {
    SCOPED_TRACE(name_of(state));
    create_in(state, task());
  }
  create(task().queue("other"));
  create(task().queue("other"));
  create_in(State::running, task());
  expect_refused(task());
}

TEST_P(LimitContract, ACancellationThatIsOnlyAskedForMakesNone) {
  const domain::ExecutionId running = create_in(State::running, task());
  create(task());
  create(task());

  EXPECT_EQ(cancel(running).kind, CancelAnswer::Kind::requested);

  expect_refused(task());
}

TEST_P(LimitContract, ContextsMayHaveSoManyBytesTogether) {
  create(task().context(text(60)));
  expect_refused(task().context(text(41)));
  const domain::ExecutionId last = create(task().context(text(40))).id;
  expect_refused(task().context("0"));

  cancel(last);
  reopen();

  expect_refused(task().context(text(41)));
  create(task().context(text(40)));
}

TEST_P(LimitContract, BytesAreCountedAndNotCharacters) {
  create(task().context("\"" + std::string(49, 'x') + "\""));
  std::string umlauts = "\"";
  for (int i = 0; i < 24; ++i) umlauts += "ä";
  expect_refused(task().context(umlauts + "\""));
}

TEST_P(LimitContract, OtherTenantsHaveTheirOwn) {
  for (int i = 0; i < 3; ++i) create(task());
  expect_refused(task());

  for (int i = 0; i < 3; ++i) create(task().tenant("globex"));
  expect_refused(task().tenant("globex"));
}

TEST_P(LimitContract, DuplicatesAreAnsweredAsEver) {
  create(task().key("a"));
  create(task().key("b"));
  create(task().key("c"));

  expect_held(task().key("a"));
  expect_refused(task().key("d"));
}

TEST_P(LimitContract, WhatWasRefusedHoldsNoIdentity) {
  std::vector<domain::ExecutionId> open;
  for (int i = 0; i < 3; ++i) open.push_back(create(task()).id);
  expect_refused(task().key("a"));
  EXPECT_EQ(find_holder(hash_of("a")), std::nullopt);

  cancel(open[0]);

  expect_created(task().key("a"));
}

}  // namespace
}  // namespace semel::test
