#include <barrier>

#include "store/postgres/snapshot.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

using domain::QueueOptions;
using domain::State;

/// What closed a while ago is put away, by the day, and nobody notices: the contract suite is tried on such a store
/// too. Here is what happens inside.
class PostgresArchive : public PostgresStores {
 protected:
  void SetUp() override { store_ = open(); }

  static std::string tenant() { return std::string(default_tenant); }
  Outcome apply(const Command& command) { return PostgresStores::apply(*store_, command); }
  domain::ExecutionId create(const Submit& submit) { return as<Created>(apply(submit)).id; }
  domain::ExecutionId create_closed(const Submit& submit) {
    const domain::ExecutionId id = create(submit);
    const auto leases = as<Claimed>(apply(claim_of(ids_, 1))).leases;
    apply(Complete{tenant(), leases.at(0).attempt_id, R"({"ok":true})"});
    return id;
  }
  void archive(Store& store) {
    while (store.archive()) {
    }
  }
  void archive() { archive(*store_); }
  void keep_for(Duration retention) {
    QueueOptions options;
    options.retention = retention;
    apply(PutQueue{tenant(), std::string(default_queue), options, "admin"});
  }
  std::optional<domain::Execution> find(domain::ExecutionId id) { return store_->find(default_tenant, id); }
  /// Brings the store to where the days of what closed before have passed their retention, and are dropped.
  void pass(Duration retention) {
    clock_.advance(retention + 24h);
    archive();  // hidden
    clock_.advance(1min);
    archive();
  }

  std::unique_ptr<store::PostgresStore> store_;
};

TEST_F(PostgresArchive, WhatClosedAnHourAgoIsPutAwayWithItsAttemptsAndNothingElseIs) {
  const domain::ExecutionId old = create_closed(task());
  clock_.advance(1h - 1ms);
  const domain::ExecutionId fresh = create_closed(task());
  const domain::ExecutionId pending = create(task());
  archive();
  EXPECT_EQ(count("closed"), 0);

  clock_.advance(1ms);
  archive();

  EXPECT_EQ(count("closed WHERE id = '" + old.text() + "'"), 1);
  EXPECT_EQ(count("closed_attempts WHERE execution_id = '" + old.text() + "'"), 1);
  EXPECT_EQ(count("executions WHERE id = '" + old.text() + "'"), 0);
  EXPECT_EQ(count("attempts WHERE execution_id = '" + old.text() + "'"), 0);
  EXPECT_EQ(count("closed"), 1);
  EXPECT_EQ(count("executions"), 2);
  for (const domain::ExecutionId id : {old, fresh, pending}) EXPECT_TRUE(find(id));
  EXPECT_EQ(store_->attempts(default_tenant, old).size(), 1u);
}

TEST_F(PostgresArchive, PartitionsAreByRetentionAndDayOfClosing) {
  create_closed(task());
  clock_.advance(24h);
  create_closed(task());
  clock_.advance(1h);
  archive();
  keep_for(30 * 24h);
  create_closed(task());
  clock_.advance(1h);
  archive();

  EXPECT_EQ(count("closed_days WHERE keep_days = 7"), 2);
  EXPECT_EQ(count("closed_days WHERE keep_days = 30"), 1);
  EXPECT_EQ(count("pg_inherits WHERE inhparent = 'closed'::regclass"), 3);
  EXPECT_EQ(count("pg_inherits WHERE inhparent = 'closed_attempts'::regclass"), 3);
}

TEST_F(PostgresArchive, QueuesThatKeepShortlyAreLeftAlone) {
  keep_for(48h - 1ms);
  create_closed(task());
  clock_.advance(47h);
  archive();
  EXPECT_EQ(count("closed"), 0);

  keep_for(48h);
  archive();
  EXPECT_EQ(count("closed"), 1);
}

TEST_F(PostgresArchive, AClientMadeIdStaysAmongTheOthersWhileItIsPromised) {
  create_closed(task().client_id(ids_.execution()));
  clock_.advance(24h - 1ms);
  archive();
  EXPECT_EQ(count("closed"), 0);

  clock_.advance(1ms);
  archive();
  EXPECT_EQ(count("closed"), 1);
}

TEST_F(PostgresArchive, AClientMadeIdIsNotUsedAgainWhileItsExecutionIsKept) {
  const domain::ExecutionId id = ids_.execution();
  create_closed(task().client_id(id));
  clock_.advance(24h);
  archive();

  const auto held = as<Held>(apply(task().client_id(id)));

  EXPECT_TRUE(held.by_id);
  EXPECT_EQ(held.execution->result, R"({"ok":true})");
  EXPECT_EQ(count("executions"), 0);
}

/// The id is looked for before it is inserted, and is not there. While the insert waits for another with the same id,
/// that one commits, closed and put away (or removed) at once: nothing is in the way of the insert any more.
TEST_F(PostgresArchive, AnIdThatIsUsedAndPutAwayBetweenTheLookAndTheInsertIsFound) {
  const domain::ExecutionId id = ids_.execution();
  create_closed(task().client_id(id));
  clock_.advance(24h);
  const auto mover = database_.open();
  mover->execute(
      "BEGIN; CREATE TEMP TABLE held AS SELECT * FROM executions; DELETE FROM executions; COMMIT;"
      "BEGIN; INSERT INTO executions OVERRIDING SYSTEM VALUE SELECT * FROM pg_temp.held");
  std::optional<Outcome> outcome;
  std::thread submitter([&] { outcome = apply(task().client_id(id)); });
  await_lock();

  mover->execute(
      "SELECT open_days(7, (closed_at / 86400000)::integer, (closed_at / 86400000)::integer + 1) FROM pg_temp.held");
  mover->execute(
      "DELETE FROM executions; INSERT INTO closed SELECT 7, closed_at / 86400000, * FROM pg_temp.held; COMMIT");
  submitter.join();

  const auto held = as<Held>(*outcome);
  EXPECT_TRUE(held.by_id);
  EXPECT_EQ(count("executions"), 0);
  EXPECT_EQ(count("closed"), 1);
}

TEST_F(PostgresArchive, AnIdThatIsUsedAndRemovedBetweenTheLookAndTheInsertIsFound) {
  const domain::ExecutionId id = ids_.execution();
  create_closed(task().client_id(id));
  const auto remover = database_.open();
  remover->execute(
      "BEGIN; CREATE TEMP TABLE held AS SELECT * FROM executions; DELETE FROM executions; COMMIT;"
      "BEGIN; INSERT INTO executions OVERRIDING SYSTEM VALUE SELECT * FROM pg_temp.held");
  std::optional<Outcome> outcome;
  std::thread submitter([&] { outcome = apply(task().client_id(id)); });
  await_lock();

  remover->execute(
      "DELETE FROM executions; INSERT INTO tombstones (tenant, id, kind, handler, state, created_at, closed_at,"
      " window_kind, window_ms, created_by, client_made_id, expires_at) SELECT tenant, id, kind, handler, state,"
      " created_at, closed_at, window_kind, window_ms, created_by, true, closed_at + 86400000 FROM pg_temp.held; "
      "COMMIT");
  submitter.join();

  EXPECT_TRUE(as<Held>(*outcome).by_id);
  EXPECT_EQ(count("executions"), 0);
}

TEST_F(PostgresArchive, WhatSomebodyIsJustChangingIsLeftForAnotherTime) {
  create_closed(task());
  const domain::ExecutionId busy = create_closed(task());
  clock_.advance(1h);
  const auto other = database_.open();
  other->execute("BEGIN; SELECT 1 FROM executions WHERE id = '" + busy.text() + "' FOR UPDATE");

  archive();
  EXPECT_EQ(count("closed"), 1);

  other->execute("ROLLBACK");
  archive();
  EXPECT_EQ(count("closed"), 2);
}

TEST_F(PostgresArchive, DaysAreHiddenAndThenDroppedWhenAllOfThemHavePassedTheirRetention) {
  const domain::ExecutionId id = create_closed(task().key("order-1").window(after_closing(0s)));
  apply(RecordDuplicates{{DuplicateTally{tenant(), id, 1, {}}}});
  clock_.advance(1h);
  archive();
  clock_.advance(7 * 24h);
  archive();
  EXPECT_TRUE(find(id)) << "another of its day may still have to be kept";

  clock_.advance(23h);
  archive();
  EXPECT_FALSE(find(id));
  EXPECT_TRUE(store_->attempts(default_tenant, id).empty());
  EXPECT_TRUE(store_->list({.tenant = tenant(), .limit = 10})->executions.empty());
  EXPECT_EQ(count("closed"), 1) << "a while for those who have just seen it";

  clock_.advance(1min);
  archive();
  for (const char* table : {"closed", "closed_attempts", "closed_days", "closed_queues", "duplicates", "identities"})
    EXPECT_EQ(count(table), 0) << table;
  EXPECT_EQ(count("pg_inherits WHERE inhparent = 'closed'::regclass"), 0);
}

/// To drop a table takes it from those too who look at the past.
TEST_F(PostgresArchive, DaysStayWhileASnapshotIsReadAndEverythingElseGoesOn) {
  create_closed(task());
  clock_.advance(1h);
  archive();
  std::optional<store::postgres::DatabaseSnapshot> snapshot(database_.target());
  const auto rows_of = [&](std::string_view table) { return snapshot->open()->count(store::dump::table_named(table)); };
  pass(7 * 24h);
  const domain::ExecutionId later = create_closed(task());
  clock_.advance(1h);
  archive();

  EXPECT_EQ(rows_of("executions"), 1);
  EXPECT_EQ(rows_of("attempts"), 1);
  EXPECT_EQ(count("closed WHERE id = '" + later.text() + "'"), 1) << "others are put away meanwhile";
  EXPECT_EQ(count("closed_days"), 2);

  snapshot.reset();
  clock_.advance(5min);
  archive();
  EXPECT_EQ(count("closed_days"), 1);
  EXPECT_EQ(count("closed"), 1);
}

TEST_F(PostgresArchive, GoesOnAfterAnotherServerHasDroppedDaysThatThisOneKnew) {
  create_closed(task());
  const domain::ExecutionId busy = create_closed(task());
  clock_.advance(1h);
  const auto somebody = database_.open();
  somebody->execute("BEGIN; SELECT 1 FROM executions WHERE id = '" + busy.text() + "' FOR UPDATE");
  archive();
  const auto other = database_.open();
  other->execute("UPDATE closed_days SET leaving_since = 0");
  other->execute("SELECT drop_days(keep_days, first_day) FROM closed_days");
  somebody->execute("ROLLBACK");

  EXPECT_THROW(archive(), StoreFault) << "it learns of it";
  archive();

  EXPECT_EQ(count("executions"), 0);
  EXPECT_EQ(count("closed"), 1);
}

TEST_F(PostgresArchive, AnIdentityWhoseWindowStillRunsLeavesATombstone) {
  const domain::ExecutionId id = create_closed(task().key("order-1").window(forever()));
  clock_.advance(1h);
  archive();
  pass(7 * 24h);

  EXPECT_EQ(count("closed"), 0);
  EXPECT_TRUE(store_->find_tombstone(default_tenant, id));
  const auto held = as<Held>(apply(task().key("order-1")));
  EXPECT_EQ(held.holder.id, id);
  EXPECT_TRUE(held.holder.tombstone);
}

TEST_F(PostgresArchive, ADuplicateIsHeldByWhatIsHiddenToo) {
  const domain::ExecutionId id = create_closed(task().key("order-1").window(forever()));
  clock_.advance(1h);
  archive();
  clock_.advance(8 * 24h);
  archive();
  EXPECT_FALSE(find(id));

  EXPECT_EQ(as<Held>(apply(task().key("order-1"))).holder.id, id);
}

TEST_F(PostgresArchive, AReleaseWhileItsDayIsHiddenCounts) {
  const domain::ExecutionId id = create_closed(task().key("order-1").window(forever()));
  clock_.advance(1h);
  archive();
  clock_.advance(8 * 24h);
  archive();

  EXPECT_EQ(as<Released>(apply(Release{tenant(), hash_of("order-1"), false, "admin"})).kind, Released::Kind::released);
  clock_.advance(1min);
  archive();

  EXPECT_EQ(as<Created>(apply(task().key("order-1"))).previous, std::nullopt) << "nothing is left of " << id.text();
}

TEST_F(PostgresArchive, WhoIsKeptLongerByNowStaysWhenTheOthersOfTheDayGo) {
  const domain::ExecutionId longer = create_closed(task());
  const domain::ExecutionId other = create(task().queue("other"));
  apply(Cancel{tenant(), other});
  clock_.advance(1h);
  archive();
  ASSERT_EQ(count("closed"), 2);
  keep_for(30 * 24h);
  pass(7 * 24h);

  EXPECT_FALSE(find(other));
  EXPECT_TRUE(find(longer));
  EXPECT_EQ(store_->attempts(default_tenant, longer).size(), 1u);
  EXPECT_EQ(count("closed_days WHERE keep_days = 7"), 0);
  EXPECT_EQ(count("closed WHERE keep_days = 30"), 1);

  pass(23 * 24h);
  EXPECT_FALSE(find(longer));
  EXPECT_EQ(count("closed_days"), 0);
}

TEST_F(PostgresArchive, WhoIsKeptShorterByNowGoesWithTheNextSweep) {
  const domain::ExecutionId id = create_closed(task());
  clock_.advance(1h);
  archive();
  ASSERT_EQ(count("closed"), 1);
  keep_for(2h);
  EXPECT_EQ(as<Swept>(apply(Sweep{100})).executions, 0);

  clock_.advance(1h);
  EXPECT_EQ(as<Swept>(apply(Sweep{100})).executions, 1);

  EXPECT_FALSE(find(id));
  EXPECT_EQ(count("closed"), 0);
  EXPECT_EQ(count("executions"), 0);
}

TEST_F(PostgresArchive, LongRetentionsHaveLongerPartitions) {
  keep_for(365 * 24h);
  for (int day = 0; day < 12; ++day) {
    create_closed(task());
    clock_.advance(24h);
  }
  archive();

  EXPECT_EQ(count("closed"), 12);
  EXPECT_LE(count("closed_days"), 3);
}

/// One is always in exactly one place, whoever looks and whatever is done to it.
TEST_F(PostgresArchive, NothingIsLostOrDoubledWhileManyWorkAndTwoPutAway) {
  constexpr int tasks = 60;
  constexpr int rounds = is_sanitized ? 5 : 15;
  std::vector<domain::ExecutionId> ids;
  for (int i = 0; i < tasks; ++i) ids.push_back(create(task().key(fmt::format("order-{}", i))));
  std::atomic<bool> is_over = false;
  std::barrier together(4);

  in_threads(4, [&](int number) {
    const auto store = open({.stays_for = Duration{0}, .archived_at_once = 7});
    Ids own(static_cast<std::uint64_t>(number + 100));
    together.arrive_and_wait();
    if (number < 2) {
      while (!is_over) store->archive();
      return;
    }
    for (int round = 0; round < rounds; ++round) {
      const auto leases = as<Claimed>(PostgresStores::apply(*store, claim_of(own, tasks))).leases;
      std::vector<Command> failures;
      for (const Lease& lease : leases) failures.emplace_back(Fail{tenant(), lease.attempt_id, R"({"type":"X"})"});
      PostgresStores::apply(*store, failures);
      for (const domain::ExecutionId id : ids) {
        const auto found = store->find(default_tenant, id);
        EXPECT_TRUE(found.has_value()) << id.text();
        if (!found || found->state != State::failed) continue;
        as<ReopenAnswer>(PostgresStores::apply(*store, Reopen{tenant(), id, "admin"}));
      }
    }
    is_over = true;
  });

  EXPECT_EQ(count("(SELECT id FROM executions UNION ALL SELECT id FROM closed) e"), tasks);
  EXPECT_EQ(count("(SELECT id FROM executions UNION SELECT id FROM closed) e"), tasks);
  EXPECT_EQ(
      count("(SELECT execution_id, number FROM attempts UNION ALL SELECT execution_id, number FROM closed_attempts) a"),
      count("(SELECT execution_id, number FROM attempts UNION SELECT execution_id, number FROM closed_attempts) a"));
}

TEST_F(PostgresArchive, AResultOfAQueueThatKeepsNothingIsThereAMinuteForThoseWhoWaitElsewhere) {
  keep_for(0s);
  const domain::ExecutionId id = create_closed(task());
  const auto elsewhere = open();

  EXPECT_FALSE(elsewhere->find(default_tenant, id));
  EXPECT_EQ(elsewhere->find_departed(default_tenant, id)->result, R"({"ok":true})");
  EXPECT_FALSE(elsewhere->find_departed("globex", id));

  clock_.advance(1min);
  archive();
  EXPECT_FALSE(elsewhere->find_departed(default_tenant, id));
}

}  // namespace
}  // namespace semel::test
