#include "base/error.hpp"
#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

/// What goes wrong: bad data, lost connections, commits of which nobody knows.
class PostgresFaults : public PostgresStores {
 protected:
  /// Ends all sessions of stores, as a restart of the server would.
  void end_sessions() {
    database_.open()->execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
        "pg_backend_pid()");
  }
};

TEST_F(PostgresFaults, OneBadCommandHarmsOnlyItself) {
  const auto store = open();
  const Submit bad = task().key("bad").handler(std::string_view("a\0b", 3));
  const std::vector<Command> batch{task().key("a").build(), bad, task().key("b").build(), task().key("a").build()};

  const std::vector<Outcome> outcomes = apply(*store, batch);

  as<Created>(outcomes.at(0));
  EXPECT_EQ(as<Rejected>(outcomes.at(1)).error.code, ErrorCode::bad_request);
  as<Created>(outcomes.at(2));
  as<Held>(outcomes.at(3));
  EXPECT_EQ(store->find_holder(default_tenant, bad.spec.identity.hash), std::nullopt);
}

TEST_F(PostgresFaults, ABadAnswerOfAWorkerHarmsOnlyItself) {
  const auto store = open();
  apply(*store, {task().build(), task().build()});
  const std::vector<Lease> leases = as<Claimed>(apply(*store, claim_of(ids_, 2))).leases;
  ASSERT_EQ(leases.size(), 2u);

  const std::vector<Outcome> outcomes =
      apply(*store, {Complete{std::string(default_tenant), leases[0].attempt_id, std::string("\0", 1)},
                     Complete{std::string(default_tenant), leases[1].attempt_id, "1"}});

  as<Rejected>(outcomes.at(0));
  EXPECT_EQ(as<AttemptAnswer>(outcomes.at(1)).state, domain::State::completed);
  EXPECT_EQ(store->find(default_tenant, leases[0].execution.spec.id)->state, domain::State::running);
}

TEST_F(PostgresFaults, ALostConnectionIsOpenedAgainByTheNextCall) {
  const auto store = open();
  const domain::ExecutionId id = as<Created>(apply(*store, task().key("a").build())).id;
  ASSERT_TRUE(store->find(default_tenant, id).has_value());

  end_sessions();

  EXPECT_TRUE(store->find(default_tenant, id).has_value());
  as<Created>(apply(*store, task().key("b").build()));
}

TEST_F(PostgresFaults, ACommitThatIsCutOffIsOfUnknownOutcome) {
  const auto store = open();
  as<Created>(apply(*store, task().build()));
  database_.open()->execute(
      "CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend("
      "pg_backend_pid()); RETURN NULL; END $$;"
      "CREATE CONSTRAINT TRIGGER cut_off AFTER INSERT ON executions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE "
      "FUNCTION cut_off()");

  EXPECT_THROW(apply(*store, task().key("a").build()), OutcomeUnknown);

  database_.open()->execute("DROP TRIGGER cut_off ON executions; DROP FUNCTION cut_off()");
  as<Created>(apply(*store, task().key("a").build()));  // safe to repeat
}

TEST_F(PostgresFaults, AFailureBeforeTheCommitChangesNothing) {
  const auto store = open();
  as<Created>(apply(*store, task().build()));
  database_.open()->execute("ALTER TABLE executions RENAME TO executions_away");

  try {
    apply(*store, task().key("a").build());
    ADD_FAILURE() << "it was applied";
  } catch (const OutcomeUnknown&) {
    ADD_FAILURE() << "its outcome is known";
  } catch (const StoreFault&) {
  }

  database_.open()->execute("ALTER TABLE executions_away RENAME TO executions");
  as<Created>(apply(*store, task().key("a").build()));
}

TEST_F(PostgresFaults, WhatFailsAfterACommitIsAnsweredByItself) {
  const auto store = open();
  database_.open()->execute("ALTER TABLE templates RENAME TO templates_away");

  const std::vector<Outcome> outcomes = apply(
      *store, {task().key("a").build(), PutTemplate{std::string(default_tenant), "shop", "charge", "1.0.0", "{}"}});

  database_.open()->execute("ALTER TABLE templates_away RENAME TO templates");
  as<Created>(outcomes.at(0));
  EXPECT_EQ(as<Rejected>(outcomes.at(1)).error.code, ErrorCode::unavailable);
}

TEST_F(PostgresFaults, AServerThatIsNotThereIsAFault) {
  EXPECT_THROW(store::PostgresStore("host=127.0.0.1 port=1 connect_timeout=2"), StoreFault);
}

TEST_F(PostgresFaults, ADeadlockIsTriedAgain) {
  const auto store = open();
  const Submit first = task().key("a").concurrency_key("k");
  const Submit second = task().key("b").concurrency_key("k");
  apply(*store, {first, second});
  const auto other = database_.open();
  other->execute("BEGIN; SELECT 1 FROM executions WHERE id = '" + second.spec.id.text() + "' FOR UPDATE");
  Outcome outcome;

  // The store takes the queue, and then waits for the blocked one; the other, which keeps no order, waits for the
  // queue.
  std::thread waiting([&] { outcome = apply(*store, Cancel{std::string(default_tenant), first.spec.id}); });
  await_lock();
  try {
    other->execute("SELECT 1 FROM queue_limits FOR UPDATE");
    other->execute("COMMIT");
  } catch (const SqlError& error) {
    EXPECT_EQ(error.code(), "40P01");
    other->execute("ROLLBACK");
  }
  waiting.join();

  EXPECT_EQ(as<CancelAnswer>(outcome).kind, CancelAnswer::Kind::cancelled);
  EXPECT_EQ(count("executions WHERE phase = 1"), 1);
}

}  // namespace
}  // namespace semel::test
