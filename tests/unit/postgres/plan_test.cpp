#include <map>

#include "tests/unit/postgres/workflow_fixture.hpp"

namespace semel::test {
namespace {

/// On filled tables the statements of the hot path find their rows by indexes that fit. The server counts when it walks
/// through a whole table, and how many rows it reads: what the store does may not add to the first, and little to the
/// second, since an index that does not fit is walked through like a table.
class PostgresPlans : public PostgresWorkflows {
 protected:
  static constexpr int tasks = 50'000;

  void SetUp() override {
    store_ = open();
    const auto session = database_.open();
    session->execute(
        "INSERT INTO executions (tenant, id, kind, state, phase, queue, handler, priority, order_at, run_at, "
        "created_at, created_by, identity_mode, strategy, scope, hash, window_kind, window_ms, client_made_id, "
        "context, "
        "closed_at, deadline, concurrency_key, attempt) SELECT 'acme', gen_random_uuid(), 0, CASE n % 4 WHEN 0 THEN 3 "
        "WHEN 1 THEN 1 ELSE 0 END, CASE n % 4 WHEN 2 THEN 1 WHEN 3 THEN 2 ELSE 0 END, 'q' || n % 5, 'h' || n % 7, 0, "
        "8000000000000, 8000000000000, 0, '', 1, 1, 0, sha256(n::text::bytea), 1, 0, false, '{}', CASE n % 4 WHEN 0 "
        "THEN "
        "8000000000000 END, CASE WHEN n % 100 = 2 THEN 8000000000000 END, CASE WHEN n % 10 = 3 THEN 'k' || n END, "
        "CASE n % 4 WHEN 0 THEN 1 WHEN 1 THEN 1 ELSE 0 END FROM generate_series(1, " +
        std::to_string(tasks) +
        ") n;"
        "INSERT INTO identities SELECT tenant, hash, id FROM executions;"
        "INSERT INTO attempts (tenant, id, execution_id, number, worker, started_at, lease_until, outcome) SELECT "
        "tenant, "
        "gen_random_uuid(), id, 1, 'w', 0, 8000000000000, CASE state WHEN 1 THEN 0 ELSE 1 END FROM executions WHERE "
        "state "
        "IN (1, 3);"
        "INSERT INTO tombstones (tenant, id, kind, handler, state, created_at, closed_at, window_kind, window_ms, "
        "created_by, client_made_id, expires_at) SELECT tenant, gen_random_uuid(), 0, 'h', 3, 0, 0, 1, 0, '', true, "
        "8000000000000 FROM executions LIMIT 20000;"
        "INSERT INTO timers SELECT tenant, id, 1, 8000000000000 FROM executions LIMIT 20000");
    session->execute("ANALYZE");
  }

  /// Of one piece of work, a dozen pages of a list at most; a walk through all that is ready would be twice as much.
  static constexpr std::int64_t rows_max = 12'000;

  /// What the server has counted of the large tables.
  struct Reads {
    std::int64_t scans = 0;
    std::int64_t rows = 0;
    std::map<std::string, std::int64_t> by_index{};
  };
  Reads reads() {
    const auto session = database_.open();
    const auto others = [&] {
      return session->execute(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'semel%'");
    };
    for (int tries = 0; others().count() > 0; ++tries) {  // they count when they have ended
      if (tries == 2000) throw std::runtime_error("a store is still open");
      session->execute("SELECT pg_sleep(0.005)");
    }
    session->execute("SELECT pg_stat_force_next_flush()");
    const auto rows = session->execute(
        "SELECT sum(t.seq_scan) AS scans, sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0))"
        " + (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.schemaname = 'semel') AS rows"
        " FROM pg_stat_user_tables t WHERE t.relname IN ('executions', 'attempts', 'identities', 'tombstones', 'runs',"
        " 'outcomes', 'history', 'attachments', 'workflows', 'timers', 'signals')"
        " OR t.relname ~ '^closed.*_\\d+_\\d+$'");
    Reads reads{std::stoll(rows.text(0, "scans")), std::stoll(rows.text(0, "rows"))};
    const auto indexes = session->execute(
        "SELECT indexrelname AS name, idx_tup_read AS rows FROM pg_stat_user_indexes WHERE schemaname = 'semel'");
    for (int i = 0; i < indexes.count(); ++i)
      reads.by_index[indexes.text(i, "name")] = std::stoll(indexes.text(i, "rows"));
    return reads;
  }
  static std::string difference(const Reads& after, const Reads& before) {
    std::string text;
    for (const auto& [name, rows] : after.by_index) {
      const auto known = before.by_index.find(name);
      const std::int64_t more = rows - (known == before.by_index.end() ? 0 : known->second);
      if (more > 0) text += fmt::format("{} {}\n", name, more);
    }
    return text;
  }

  /// Statistics of a session come to light when it ends.
  void expect_no_scan(const std::function<void(Store&)>& work) {
    store_.reset();
    const Reads before = reads();
    store_ = open();
    work(*store_);
    store_.reset();
    const Reads after = reads();
    EXPECT_EQ(after.scans, before.scans);
    EXPECT_LE(after.rows - before.rows, rows_max) << difference(after, before);
  }

  /// One page each, of a dispatch and of a timer that nobody has; so few that it pays to look for each in an index of a
  /// table that is no larger than these.
  static void look_for_names(Store& store) {
    for (const char* name : {"d_aaaaaaaaaaaaaaaaaaaaaaaaaa", "t_aaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
      ListQuery query;
      query.tenant = default_tenant;
      query.named = NameSearch{{name}, 64, Time::max()};
      EXPECT_EQ(store.list(query)->looked_at, 64u);
    }
  }

  /// Workflows of others, with what they have begun, their histories, timers and signals.
  void fill_with_workflows() {
    const auto session = database_.open();
    session->execute(
        "INSERT INTO executions (tenant, id, kind, state, phase, queue, handler, priority, order_at, run_at, "
        "created_at,"
        " created_by, identity_mode, strategy, scope, window_kind, window_ms, client_made_id, context, closed_at)"
        " SELECT 'acme', gen_random_uuid(), 1, CASE n % 3 WHEN 0 THEN 3 ELSE 2 * (n % 2) END, CASE WHEN n % 3 > 0 AND"
        " n % 2 = 0 THEN 1 ELSE 0 END, 'q' || n % 5, 'workflow:k' || n % 3, 0, 0, 0, 0, '', 0, 0, 0, 1, 0, false, '{}',"
        " CASE n % 3 WHEN 0 THEN 8000000000000 END FROM generate_series(1, 20000) n;"
        "INSERT INTO executions (tenant, id, kind, state, phase, queue, handler, priority, order_at, run_at, "
        "created_at,"
        " created_by, identity_mode, strategy, scope, window_kind, window_ms, client_made_id, context, closed_at, run,"
        " task_key) SELECT 'acme', gen_random_uuid(), 0, 3, 0, queue, 'h', 0, 0, 0, 0, '', 0, 0, 0, 1, 0, false, '', 0,"
        " id, 'h#' || n FROM executions, generate_series(1, 2) n WHERE kind = 1;"
        "INSERT INTO workflows SELECT tenant, id, 0, 4, 100, 1, 4, 2, 1, 0, false FROM executions WHERE kind = 1;"
        "INSERT INTO history SELECT tenant, id, n, 0, 1, 'x', '{\"command\":1}' FROM workflows, generate_series(1, 4) "
        "n;"
        "INSERT INTO timers SELECT tenant, id, 9, 8000000000000 FROM workflows;"
        "INSERT INTO signals SELECT tenant, id, 's', 'k' FROM workflows;"
        "INSERT INTO attachments SELECT tenant, id, run FROM executions WHERE run IS NOT NULL");
    session->execute("ANALYZE");
  }

  std::unique_ptr<store::PostgresStore> store_;
};

TEST_F(PostgresPlans, TheHotPathFindsItsRowsByIndexes) {
  std::vector<Command> submissions;
  for (int i = 0; i < 100; ++i) submissions.emplace_back(task().key(fmt::format("new-{}", i)).build());
  expect_no_scan([&](Store& store) { apply(store, submissions); });
  expect_no_scan([&](Store& store) { apply(store, submissions); });  // duplicates, and by takeover's way
  std::vector<Submit> copies;
  for (const Command& each : submissions) copies.push_back(std::get<Submit>(each));
  copies[0].spec.client_made_id = true;
  std::vector<Submit*> asked;
  for (Submit& each : copies) asked.push_back(&each);
  // Often enough for a plan that fits all: the server makes one after five runs, on connections that read.
  expect_no_scan([&](Store& store) {
    for (int i = 0; i < 12; ++i) store.probe(asked);
  });
  expect_no_scan([&](Store& store) {
    for (int i = 0; i < 12; ++i) store.probe({asked.data(), 1});
  });

  std::vector<Lease> leases;
  expect_no_scan([&](Store& store) { leases = as<Claimed>(apply(store, claim_of(ids_, 60))).leases; });
  ASSERT_EQ(leases.size(), 60u);
  Claim of_handlers = claim_of(ids_, 10);
  of_handlers.queues = {"q1", "q2", "nothing"};
  of_handlers.handlers = {{"h1", "h2", "nobody"}};
  expect_no_scan([&](Store& store) { EXPECT_EQ(as<Claimed>(apply(store, of_handlers)).leases.size(), 10u); });

  std::vector<Command> answers;
  for (const Lease& lease : leases) {
    const std::string tenant(default_tenant);
    if (answers.size() % 3 == 0)
      answers.emplace_back(Heartbeat{tenant, lease.attempt_id, 60s, domain::Progress{1, ""}});
    else if (answers.size() % 3 == 1) answers.emplace_back(Fail{tenant, lease.attempt_id, "{}"});
    else answers.emplace_back(Complete{tenant, lease.attempt_id, "1"});
  }
  expect_no_scan([&](Store& store) { apply(store, answers); });
}

TEST_F(PostgresPlans, UpkeepFindsItsRowsByIndexes) {
  std::vector<Command> some;
  for (int i = 0; i < 20; ++i) {
    some.emplace_back(task().queue("mine").delay(5s).build());
    some.emplace_back(task().queue("mine").deadline_after(5s).build());
    some.emplace_back(task().queue("mine").concurrency_key("k" + std::to_string(i % 2)).build());
  }
  apply(*store_, some);
  Claim claim = claim_of(ids_, 10, 1s);
  claim.queues = {"mine"};
  apply(*store_, claim);
  clock_.advance(10s);

  expect_no_scan([&](Store& store) { apply(store, ExpireLeases{}); });
  expect_no_scan([&](Store& store) { apply(store, PromoteDue{}); });
  expect_no_scan([&](Store& store) { store.next_timer(); });
  clock_.advance(30 * 24h);
  expect_no_scan([&](Store& store) { EXPECT_GT(as<Swept>(apply(store, Sweep{})).executions, 0); });
  expect_no_scan([&](Store& store) {
    for (int i = 0; i < 12; ++i) store.list({std::string(default_tenant)});
  });
  expect_no_scan([&](Store& store) {
    for (int i = 0; i < 12; ++i) look_for_names(store);
  });
}

/// Beside many runs of others, with their tasks, outcomes, histories, and tasks that wait for each other.
TEST_F(PostgresPlans, RunsFindTheirRowsByIndexes) {
  const auto session = database_.open();
  session->execute(
      "INSERT INTO executions (tenant, id, kind, state, phase, queue, handler, priority, order_at, run_at, created_at,"
      " created_by, identity_mode, strategy, scope, window_kind, window_ms, client_made_id, context, closed_at)"
      " SELECT 'acme', gen_random_uuid(), 1, 3, 0, 'q' || n % 5, 'order', 0, 0, 0, 0, '', 0, 0, 0, 1, 0, false, '{}',"
      " 8000000000000 FROM generate_series(1, 20000) n;"
      "INSERT INTO executions (tenant, id, kind, state, phase, queue, handler, priority, order_at, run_at, created_at,"
      " created_by, identity_mode, strategy, scope, window_kind, window_ms, client_made_id, context, closed_at, run,"
      " task_key) SELECT 'acme', gen_random_uuid(), 0, 3, 0, queue, 'h', 0, 0, 0, 0, '', 0, 0, 0, 1, 0, false, '', 0,"
      " id, 'step' || n FROM executions, generate_series(1, 2) n WHERE kind = 1;"
      "INSERT INTO runs SELECT tenant, id, sha256((seq % 100)::text::bytea), 'cC', 4 FROM executions WHERE kind = 1;"
      "INSERT INTO outcomes SELECT tenant, id, 'x', '1' FROM runs;"
      "INSERT INTO history SELECT tenant, id, n, 0, 1, 'x' FROM runs, generate_series(1, 4) n;"
      "INSERT INTO attachments SELECT tenant, id, run FROM executions WHERE run IS NOT NULL");
  session->execute("ANALYZE");
  const std::vector<domain::Step> steps{StepBuilder("list"), StepBuilder("mail", {"list"}).for_each("list", "", 3),
                                        StepBuilder("pay", {"list"}).key("k-{{/n}}"),
                                        StepBuilder("sum", {"mail", "pay"})};
  const auto start_some = [&](Store& store, int count) {
    std::vector<Command> runs;
    for (int i = 0; i < count; ++i) runs.emplace_back(run_of(steps, fmt::format(R"({{"n":{}}})", i % 3)));
    apply(store, runs);
    return std::get<Submit>(runs[0]).spec.id;
  };
  domain::ExecutionId run;
  expect_no_scan([&](Store& store) { run = start_some(store, 10); });
  for (int i = 0; i < 20; ++i) {  // from its beginning to its end, with joins, keys, and tasks attached to others
    Claim claim = claim_of(ids_, 30);
    claim.queues = {std::string(default_queue)};
    std::vector<Lease> leases;
    expect_no_scan([&](Store& store) { leases = as<Claimed>(apply(store, claim)).leases; });
    std::vector<Command> answers;
    for (const Lease& lease : leases) answers.push_back(completed(lease, "[1,2,3,4,5]"));
    if (answers.empty()) break;
    expect_no_scan([&](Store& store) { apply(store, answers); });
  }
  EXPECT_EQ(open()->find(default_tenant, run)->state, domain::State::completed);
  expect_no_scan([&](Store& store) {
    ListQuery of_run{std::string(default_tenant)};
    of_run.run = run;
    for (int i = 0; i < 12; ++i) {  // often enough for a plan that fits all
      EXPECT_TRUE(store.run(default_tenant, run).has_value());
      EXPECT_GT(store.history(default_tenant, run, 2, 100).size(), 5u);
      EXPECT_EQ(store.list(of_run)->executions.size(), 8u);
    }
  });
  expect_no_scan([&](Store& store) { apply(store, Remove{std::string(default_tenant), run}); });

  expect_no_scan([&](Store& store) { run = start_some(store, 3); });
  expect_no_scan([&](Store& store) { apply(store, Cancel{std::string(default_tenant), run, false, "boss", ""}); });
  expect_no_scan([&](Store& store) { apply(store, RetrySteps{std::string(default_tenant), run, {}, "boss", ""}); });
  expect_no_scan([&](Store& store) { apply(store, Cancel{std::string(default_tenant), run, true, "boss", ""}); });
  clock_.advance(2 * domain::default_run_retention);
  expect_no_scan([&](Store& store) { EXPECT_GT(as<Swept>(apply(store, Sweep{})).executions, 0); });
}

TEST_F(PostgresPlans, WorkflowsFindTheirRowsByIndexes) {
  fill_with_workflows();
  domain::ExecutionId workflow;
  expect_no_scan([&](Store& store) {
    std::vector<Command> some(10);
    for (Command& each : some) each = workflow_of("order");
    apply(store, some);
    workflow = std::get<Submit>(some[0]).spec.id;
  });
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<Lease> leases;
    expect_no_scan([&](Store& store) { leases = activate(store, 10); });
    ASSERT_EQ(leases.size(), 10u);
    std::vector<Command> answers;
    for (const Lease& lease : leases) {
      code::ScheduleTask keyed;
      keyed.handler = "h";
      keyed.key = "k";
      keyed.on_conflict = turn == 1 ? code::KeyConflict::warn_and_create : code::KeyConflict::attach;
      answers.emplace_back(
          answer_to(lease, {a_task("a"), a_child("pack"), code::StartTimer{std::nullopt, 1s}, code::CreatePromise{},
                            keyed, code::CancelEarlier{lease.activation->last_command + 4}}));
    }
    expect_no_scan([&](Store& store) { apply(store, answers); });
    expect_no_scan([&](Store& store) { apply(store, answers); });  // sent again
    std::vector<Command> ends;
    const Claimed claimed = as<Claimed>(apply(*open(), claim_of(ids_, 100)));
    for (const Lease& lease : claimed.leases) ends.push_back(completed(lease));
    expect_no_scan([&](Store& store) { apply(store, ends); });
    clock_.advance(1s);
    expect_no_scan([&](Store& store) { apply(store, PromoteDue{}); });
  }
  expect_no_scan([&](Store& store) {
    for (int i = 0; i < 12; ++i) {  // often enough for a plan that fits all
      EXPECT_TRUE(store.workflow(default_tenant, workflow).has_value());
      store.next_timer();
    }
  });
  expect_no_scan([&](Store& store) { apply(store, SignalWorkflow{tenant(), workflow, {"s", "1"}, "k"}); });
  std::vector<Lease> leases;
  expect_no_scan([&](Store& store) { leases = activate(store, 10, "order", 1s); });
  expect_no_scan([&](Store& store) {
    std::vector<Command> ends{answer_to(leases.at(0), {}, code::Complete{}),
                              answer_to(leases.at(1), {}, code::ContinueAsNew{}),
                              Fail{tenant(), leases.at(2).attempt_id, "{}"}};
    apply(store, ends);
  });
  clock_.advance(1s);
  expect_no_scan([&](Store& store) { apply(store, ExpireLeases{}); });
  const domain::ExecutionId cancelled = leases.at(3).execution.spec.id;
  expect_no_scan([&](Store& store) { apply(store, Cancel{tenant(), cancelled, true, "boss", ""}); });
  expect_no_scan([&](Store& store) {
    EXPECT_EQ(as<Removed>(apply(store, Remove{tenant(), cancelled})).kind, Removed::Kind::removed);
  });
  clock_.advance(2 * domain::default_run_retention);
  expect_no_scan([&](Store& store) { EXPECT_GT(as<Swept>(apply(store, Sweep{})).executions, 0); });
}

TEST_F(PostgresPlans, WhatWasPutAwayIsFoundByIndexes) {
  const auto session = database_.open();
  session->execute(
      "SELECT open_days(7, day, day + 1) FROM generate_series(30000, 30003) day;"
      "INSERT INTO closed SELECT 7, 30000 + seq / 4 % 4, e.* FROM executions e WHERE state = 3;"
      "INSERT INTO closed_attempts SELECT 7, c.closed_day, a.* FROM attempts a JOIN closed c ON c.id = a.execution_id;"
      "DELETE FROM attempts a USING closed c WHERE c.id = a.execution_id; DELETE FROM executions WHERE state = 3");
  session->execute("ANALYZE");
  const auto one = session->execute("SELECT id, encode(hash, 'hex') AS hash FROM closed LIMIT 1");
  const domain::ExecutionId id{*Uuid::parse(one.text(0, "id"))};
  const auto attempt = session->execute("SELECT id FROM closed_attempts LIMIT 1");
  const domain::AttemptId attempt_id{*Uuid::parse(attempt.text(0, "id"))};
  Submit same = task().client_id(id);
  Submit* const asked = &same;

  // Often enough for a plan that fits all.
  expect_no_scan([&](Store& store) {
    for (int i = 0; i < 12; ++i) {
      EXPECT_TRUE(store.find(default_tenant, id));
      EXPECT_EQ(store.attempts(default_tenant, id).size(), 1u);
      EXPECT_TRUE(store.probe({&asked, 1}).at(0));
      EXPECT_EQ(store.list({std::string(default_tenant)})->executions.size(), 100u);
      look_for_names(store);
    }
  });
  expect_no_scan([&](Store& store) { EXPECT_TRUE(as<Held>(apply(store, same)).by_id); });
  expect_no_scan([&](Store& store) {
    const Complete again{std::string(default_tenant), attempt_id, std::nullopt};
    EXPECT_EQ(as<AttemptAnswer>(apply(store, again)).kind, AttemptAnswer::Kind::already_recorded);
  });
  expect_no_scan(
      [&](Store& store) { apply(store, Release{std::string(default_tenant), hash_of("1"), false, "admin"}); });
  expect_no_scan([&](Store& store) { apply(store, Reopen{std::string(default_tenant), id, "admin"}); });
}

TEST_F(PostgresPlans, PuttingAwayFindsItsRowsByIndexes) {
  const auto put_away = [](Store& store) {
    while (store.archive()) {
    }
  };
  const auto close_some = [&] {
    for (int i = 0; i < 5; ++i) {
      const domain::ExecutionId id = as<Created>(apply(*store_, task())).id;
      apply(*store_, Cancel{std::string(default_tenant), id});
    }
    clock_.advance(2h);
  };
  close_some();
  put_away(*store_);  // makes the tables, which are read once when they are filled with indexes
  close_some();
  expect_no_scan(put_away);
  EXPECT_EQ(count("closed"), 10);
}

TEST_F(PostgresPlans, LimitedQueuesFindTheirRowsByIndexes) {
  domain::QueueOptions options;
  options.max_running = 50;
  options.rate_limit = domain::RateLimit{1000, 1s, 100};
  apply(*store_, PutQueue{std::string(default_tenant), "q3", options, "admin"});
  Claim claim = claim_of(ids_, 10);
  claim.queues = {"q3", "q4"};
  expect_no_scan([&](Store& store) { apply(store, claim); });
}

}  // namespace
}  // namespace semel::test
