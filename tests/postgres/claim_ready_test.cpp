#include <barrier>
#include <map>
#include <mutex>

#include "tests/postgres/draft_fixture.hpp"

namespace semel::test {
namespace {

class ClaimReady : public PostgresDraft {
 protected:
  SubmitBuilder task() {
    SubmitBuilder made = submission(ids_);
    return made.key(made.build().spec.id.text());
  }

  std::vector<std::string> claim_of_tasks(std::size_t count, const std::vector<std::string>& queues = {"default"},
                                          const std::vector<std::string>& handlers = {"charge_card"}) {
    std::vector<std::string> attempts;
    for (const domain::AttemptId& id : ids_.attempts(count)) attempts.push_back(id.text());
    return {std::string(default_tenant), array_of(queues), array_of(handlers), array_of(attempts), "worker-1", "30000"};
  }

  static std::vector<std::string> ids_in(const Rows& rows) {
    std::vector<std::string> ids;
    for (int row = 0; row < rows.count(); ++row) ids.push_back(rows.get(row, "id").value_or("skipped all"));
    return ids;
  }
};

TEST_F(ClaimReady, TheBestOfAllQueuesAndHandlersAreMergedAndLeased) {
  const auto session = open();
  const std::vector<Submit> batch{task().queue("a").handler("x"),
                                  task().queue("b").handler("y").priority(5),
                                  task().queue("a").handler("y").head_start(1s),
                                  task().queue("b").handler("w").priority(50),
                                  task().queue("c").handler("x").priority(50),
                                  task().queue("a").handler("x").priority(50).delay(1s),
                                  task().queue("a").handler("x").priority(50).tenant("globex"),
                                  task().queue("a").handler("x").priority(5)};
  session->run("semel_submit", parameters_of(batch));
  const std::vector<std::string> claim = claim_of_tasks(3, {"a", "b", "b"}, {"x", "y"});

  const Rows rows = session->run("semel_claim_ready", claim);

  const std::vector<std::string> best{batch[1].spec.id.text(), batch[7].spec.id.text(), batch[2].spec.id.text()};
  EXPECT_EQ(ids_in(rows), best);
  EXPECT_EQ(rows.text(0, "lease_until"), std::to_string(to_ms(ManualClock::start + 30s)));
  for (int row = 0; row < 3; ++row) {
    EXPECT_NE(claim[3].find(rows.text(row, "attempt_id")), std::string::npos);
  }
  EXPECT_EQ(ids_in(session->run("semel_claim_ready", claim_of_tasks(9, {"a", "b"}, {"x", "y"}))),
            std::vector<std::string>{batch[0].spec.id.text()});
  EXPECT_TRUE(ids_in(session->run("semel_claim_ready", claim_of_tasks(9, {"a", "b"}, {"x", "y"}))).empty());
  EXPECT_EQ(session->execute("SELECT count(*) FROM attempts WHERE number = 1").text(0, "count"), "4");
}

TEST_F(ClaimReady, AClaimTakesWhatAnotherSessionIsNotJustTaking) {
  const auto first = open();
  const auto second = open();
  const std::vector<Submit> batch{task(), task(), task()};
  first->run("semel_submit", parameters_of(batch));
  first->execute("BEGIN");
  EXPECT_EQ(ids_in(first->run("semel_claim_ready", claim_of_tasks(2))).size(), 2u);

  const std::vector<std::string> others = ids_in(second->run("semel_claim_ready", claim_of_tasks(2)));

  EXPECT_EQ(others, std::vector<std::string>{batch[2].spec.id.text()});
  first->execute("COMMIT");
}

TEST_F(ClaimReady, AClaimThatFoundAllTakenSaysSo) {
  const auto first = open();
  const auto second = open();
  first->run("semel_submit", parameters_of({task()}));
  first->execute("BEGIN");
  first->run("semel_claim_ready", claim_of_tasks(1));

  const Rows rows = second->run("semel_claim_ready", claim_of_tasks(1));

  ASSERT_EQ(rows.count(), 1);
  EXPECT_TRUE(rows.is_true(0, "skipped_all"));
  first->execute("ROLLBACK");
  EXPECT_EQ(ids_in(second->run("semel_claim_ready", claim_of_tasks(1))).size(), 1u);
}

TEST_F(ClaimReady, ClaimsOfManySessionsNeverOverlap) {
  constexpr int sessions = 4;
  constexpr int tasks = 600;
  const auto setup = open();
  std::vector<Submit> batch;
  for (int i = 0; i < tasks; ++i) batch.push_back(task().priority(i % 7).queue(i % 2 == 0 ? "a" : "b"));
  setup->run("semel_submit", parameters_of(batch));
  std::mutex mutex;  // guards ids_ and claimed
  std::map<std::string, int> claimed;
  std::barrier together(sessions);
  const auto work = [&] {
    const auto session = open();
    together.arrive_and_wait();
    for (bool more = true; more;) {
      std::vector<std::string> claim;
      {
        const std::lock_guard lock(mutex);
        claim = claim_of_tasks(5, {"a", "b"});
      }
      const Rows rows = session->run("semel_claim_ready", claim);
      more = rows.count() > 0;
      const std::lock_guard lock(mutex);
      for (int row = 0; row < rows.count(); ++row) {
        if (!rows.is_true(row, "skipped_all")) claimed[rows.text(row, "id")] += 1;
      }
    }
  };

  std::vector<std::thread> threads;
  for (int i = 0; i < sessions; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(claimed.size(), static_cast<std::size_t>(tasks));
  for (const auto& [id, times] : claimed) EXPECT_EQ(times, 1) << id;
  EXPECT_EQ(setup->execute("SELECT count(*) FROM attempts").text(0, "count"), std::to_string(tasks));
}

TEST_F(ClaimReady, NeitherWaitingTasksNorThoseOfOtherHandlersAreWalkedThrough) {
  const auto session = open();
  session->execute(
      "INSERT INTO executions (tenant_id, id, waiting, queue, handler, priority, order_at, run_at, "
      "created_at, context, "
      "window_kind, window_ms) SELECT 'acme', gen_random_uuid(), n % 2 = 0, 'default', 'other', 0, n, n, 0, "
      "'{}', 1, 0 "
      "FROM generate_series(1, 20000) n; ANALYZE executions");
  session->run("semel_submit", parameters_of({task()}));

  std::string sql = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) EXECUTE semel_claim_ready(";
  for (const std::string& parameter : claim_of_tasks(5)) sql += (sql.back() == '(' ? "'" : ", '") + parameter + "'";
  session->execute("BEGIN");
  const Rows plan = session->execute(sql + ")");
  session->execute("ROLLBACK");

  std::string text;
  for (int row = 0; row < plan.count(); ++row) text += plan.text(row, "\"QUERY PLAN\"") + "\n";
  EXPECT_NE(text.find("executions_ready"), std::string::npos) << text;
  EXPECT_EQ(text.find("Seq Scan on executions"), std::string::npos) << text;
}

}  // namespace
}  // namespace semel::test
