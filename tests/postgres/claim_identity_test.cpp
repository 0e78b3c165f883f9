#include <algorithm>
#include <barrier>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "tests/postgres/draft_fixture.hpp"

namespace semel::test {
namespace {

using Created = std::vector<bool>;

/// A holder as the domain sees it, from a row of semel_read_holders.
domain::Holder holder_in(const Rows& rows, int row) {
  const auto number = [&](const char* column) { return std::stoll(rows.text(row, column)); };
  domain::Holder holder;
  holder.id = domain::ExecutionId::parse(rows.text(row, "execution_id")).value();
  holder.state = static_cast<domain::State>(number("state"));
  holder.created_at = from_ms(number("created_at"));
  if (rows.get(row, "closed_at")) holder.closed_at = from_ms(number("closed_at"));
  holder.window = {static_cast<domain::Window::Kind>(number("window_kind")), Duration{number("window_ms")}};
  if (rows.get(row, "released_at")) holder.released_at = from_ms(number("released_at"));
  holder.tombstone = rows.is_true(row, "tombstone");
  return holder;
}

class ClaimIdentity : public PostgresDraft {
 protected:
  SubmitBuilder task(std::string_view key) { return submission(ids_).key(key); }

  /// Submits one and closes it in the state.
  domain::ExecutionId create_closed(Session& session, std::string_view key, domain::State state) {
    const Submit submit = task(key);
    session.run("semel_submit", parameters_of({submit}));
    session.execute("UPDATE executions SET closed_at = semel_now(), state = " +
                    std::to_string(static_cast<int>(state)) + " WHERE id = '" + submit.spec.id.text() + "'");
    return submit.spec.id;
  }

  std::string holder_of_key(Session& session, std::string_view key) {
    return session.execute("SELECT execution_id FROM identities WHERE identity_hash = '" + bytea(hash_of(key)) + "'")
        .text(0, "execution_id");
  }

  int count(Session& session, const std::string& what) {
    return std::stoi(session.execute("SELECT count(*) FROM " + what).text(0, "count"));
  }
};

TEST_F(ClaimIdentity, InOneBatchTheFirstOfTwoEqualHashesWins) {
  const auto session = open();
  const std::vector<Submit> batch{task("b").context(R"("\u0000 1e999999999")"), task("a"), task("b"), task("a"),
                                  task("c")};

  const Rows rows = session->run("semel_submit", parameters_of(batch));

  EXPECT_EQ(created_of(rows), (Created{true, true, false, false, true}));
  EXPECT_EQ(rows.text(0, "now"), std::to_string(to_ms(ManualClock::start)));
  EXPECT_EQ(holder_of_key(*session, "b"), batch[0].spec.id.text());
  EXPECT_EQ(count(*session, "executions"), 3);
  EXPECT_EQ(session->execute("SELECT context FROM executions WHERE id = '" + batch[0].spec.id.text() + "'")
                .text(0, "context"),
            batch[0].spec.context);
}

TEST_F(ClaimIdentity, TheFirstWinsAlsoWhenItsIdIsTheGreater) {
  const auto session = open();
  const Submit smaller = task("a");
  const Submit greater = task("a");

  EXPECT_EQ(created_of(session->run("semel_submit", parameters_of({greater, smaller}))), (Created{true, false}));

  EXPECT_EQ(holder_of_key(*session, "a"), greater.spec.id.text());
}

TEST_F(ClaimIdentity, WhatIsHeldIsNotCreatedAgainAndTenantsNeverMeet) {
  const auto session = open();
  session->run("semel_submit", parameters_of({task("a")}));

  const Rows rows = session->run("semel_submit", parameters_of({task("a"), task("a").tenant("globex"), task("b")}));

  EXPECT_EQ(created_of(rows), (Created{false, true, true}));
}

TEST_F(ClaimIdentity, WithoutIdentityNothingIsClaimed) {
  const auto session = open();
  std::vector<std::string> parameters = parameters_of({task("a"), task("a")});
  parameters[1] = "{NULL,NULL}";

  EXPECT_EQ(created_of(session->run("semel_submit", parameters)), (Created{true, true}));

  EXPECT_EQ(count(*session, "identities"), 0);
}

TEST_F(ClaimIdentity, AnIdThatExistsFailsTheWholeBatchSoThatItIsRunOneByOne) {
  const auto session = open();
  const Submit existing = task("a");
  session->run("semel_submit", parameters_of({existing}));
  const Submit same_id = SubmitBuilder(existing.spec.id).key("b");

  try {
    session->run("semel_submit", parameters_of({task("c"), same_id}));
    FAIL() << "the id was used twice";
  } catch (const SqlError& error) {
    EXPECT_EQ(error.code(), "23505");  // unique_violation
  }

  EXPECT_EQ(count(*session, "executions"), 1);
  EXPECT_EQ(count(*session, "identities"), 1);
}

TEST_F(ClaimIdentity, AClaimWaitsForAnotherAndLosesWhenThatCommits) {
  const auto first = open();
  const auto second = open();
  const auto observer = open();
  first->execute("BEGIN");
  first->run("semel_submit", parameters_of({task("a")}));

  second->send("semel_submit", parameters_of({task("a"), task("b")}));
  await_lock(*observer, *second);
  first->execute("COMMIT");

  EXPECT_EQ(created_of(second->receive()), (Created{false, true}));
}

TEST_F(ClaimIdentity, AClaimWaitsForAnotherAndWinsWhenThatRollsBack) {
  const auto first = open();
  const auto second = open();
  const auto observer = open();
  first->execute("BEGIN");
  first->run("semel_submit", parameters_of({task("a")}));

  second->send("semel_submit", parameters_of({task("a"), task("b")}));
  await_lock(*observer, *second);
  first->execute("ROLLBACK");

  EXPECT_EQ(created_of(second->receive()), (Created{true, true}));
}

TEST_F(ClaimIdentity, OverlappingBatchesInDifferentOrdersNeitherDeadlockNorWinTwice) {
  constexpr int sessions = 4;
  constexpr int rounds = 25;
  constexpr int keys = 60;
  std::mutex mutex;  // guards ids_, won and errors
  std::map<std::string, int> won;
  std::vector<std::string> errors;
  std::barrier together(sessions);
  const auto submit_all = [&](std::uint32_t seed) {
    const auto session = open();
    std::mt19937 random(seed);
    for (int round = 0; round < rounds; ++round) {
      std::vector<Submit> batch;
      {
        const std::lock_guard lock(mutex);
        for (int i = 0; i < keys; ++i) batch.push_back(task(std::to_string(round) + "-" + std::to_string(i)));
      }
      std::shuffle(batch.begin(), batch.end(), random);
      together.arrive_and_wait();
      try {
        const Created created = created_of(session->run("semel_submit", parameters_of(batch)));
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < batch.size(); ++i) won[*batch[i].spec.key] += created[i] ? 1 : 0;
      } catch (const SqlError& error) {
        const std::lock_guard lock(mutex);
        errors.push_back(error.what());
      }
    }
  };

  std::vector<std::thread> threads;
  for (std::uint32_t seed = 1; seed <= sessions; ++seed) threads.emplace_back(submit_all, seed);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(errors, std::vector<std::string>{});
  EXPECT_EQ(won.size(), static_cast<std::size_t>(rounds * keys));
  EXPECT_TRUE(std::all_of(won.begin(), won.end(), [](const auto& one) { return one.second == 1; }));
  const auto session = open();
  EXPECT_EQ(count(*session, "executions"), rounds * keys);
  EXPECT_EQ(count(*session, "identities i JOIN executions e ON e.tenant_id = i.tenant_id AND e.id = i.execution_id"),
            rounds * keys);
}

TEST_F(ClaimIdentity, ALoserTakesOverWhatTheDomainAllows) {
  const auto session = open();
  const domain::ExecutionId failed = create_closed(*session, "failed", domain::State::failed);
  create_closed(*session, "completed", domain::State::completed);
  const std::vector<Submit> batch{task("completed"), task("failed"), task("new")};
  ASSERT_EQ(created_of(session->run("semel_submit", parameters_of(batch))), (Created{false, false, true}));
  const std::vector<Submit> losers{batch[0], batch[1]};

  session->execute("BEGIN");
  EXPECT_EQ(session->run("semel_lock_identities", identities_of(losers)).count(), 2);
  const Rows holders = session->run("semel_read_holders", identities_of(losers));
  ASSERT_EQ(holders.count(), 2);
  EXPECT_EQ(decide(holder_in(holders, 0), losers[0].reuse, ManualClock::start), domain::Verdict::duplicate);
  EXPECT_EQ(decide(holder_in(holders, 1), losers[1].reuse, ManualClock::start), domain::Verdict::reuse_allows);
  const Rows taken = session->run("semel_take_over", takeover_of({losers[1]}, {holder_in(holders, 1).id}));
  session->execute("COMMIT");

  EXPECT_EQ(created_of(taken), Created{true});
  EXPECT_EQ(holder_of_key(*session, "failed"), losers[1].spec.id.text());
  EXPECT_EQ(
      session->execute("SELECT previous_execution_id FROM executions WHERE id = '" + losers[1].spec.id.text() + "'")
          .text(0, "previous_execution_id"),
      failed.text());
}

TEST_F(ClaimIdentity, ATakeoverNeedsTheExpectedHolder) {
  const auto session = open();
  const domain::ExecutionId holder = create_closed(*session, "a", domain::State::failed);
  const Submit wrong = task("a");
  const Submit right = task("a");

  EXPECT_EQ(created_of(session->run("semel_take_over", takeover_of({wrong}, {ids_.execution()}))), Created{false});
  EXPECT_EQ(holder_of_key(*session, "a"), holder.text());
  EXPECT_EQ(created_of(session->run("semel_take_over", takeover_of({right}, {holder}))), Created{true});
  EXPECT_EQ(created_of(session->run("semel_take_over", takeover_of({wrong}, {holder}))), Created{false});

  EXPECT_EQ(holder_of_key(*session, "a"), right.spec.id.text());
  EXPECT_EQ(count(*session, "executions"), 2);
}

TEST_F(ClaimIdentity, OfTwoTakeoversInOneBatchTheFirstWins) {
  const auto session = open();
  const domain::ExecutionId holder = create_closed(*session, "a", domain::State::failed);
  const Submit smaller = task("a");
  const Submit greater = task("a");

  EXPECT_EQ(created_of(session->run("semel_take_over", takeover_of({greater, smaller}, {holder, holder}))),
            (Created{true, false}));

  EXPECT_EQ(holder_of_key(*session, "a"), greater.spec.id.text());
}

TEST_F(ClaimIdentity, WhoWaitedForATakeoverSeesTheNewHolder) {
  const auto first = open();
  const auto second = open();
  const auto observer = open();
  const domain::ExecutionId failed = create_closed(*first, "a", domain::State::failed);
  const Submit taker = task("a");
  const Submit loser = task("a");
  first->execute("BEGIN");
  first->run("semel_lock_identities", identities_of({taker}));
  first->run("semel_take_over", takeover_of({taker}, {failed}));

  second->execute("BEGIN");
  second->send("semel_lock_identities", identities_of({loser}));
  await_lock(*observer, *second);
  first->execute("COMMIT");
  EXPECT_EQ(second->receive().count(), 1);
  const Rows holders = second->run("semel_read_holders", identities_of({loser}));
  second->execute("COMMIT");

  ASSERT_EQ(holders.count(), 1);
  EXPECT_EQ(holder_in(holders, 0).id, taker.spec.id);
  EXPECT_EQ(holder_in(holders, 0).state, domain::State::pending);
  EXPECT_EQ(decide(holder_in(holders, 0), loser.reuse, ManualClock::start), domain::Verdict::duplicate);
}

TEST_F(ClaimIdentity, AVanishedRowIsToldApart) {
  const auto session = open();
  create_closed(*session, "a", domain::State::failed);

  const Rows holders = session->run("semel_read_holders", identities_of({task("gone"), task("a")}));

  ASSERT_EQ(holders.count(), 2);
  EXPECT_EQ(holders.get(0, "execution_id"), std::nullopt);
  EXPECT_TRUE(holders.get(1, "execution_id").has_value());
}

TEST_F(ClaimIdentity, ATombstoneIsAHolderToo) {
  const auto session = open();
  const domain::ExecutionId removed = create_closed(*session, "a", domain::State::completed);
  session->execute(
      "UPDATE identities i SET tombstone_state = e.state, tombstone_created_at = e.created_at, "
      "tombstone_closed_at = e.closed_at, tombstone_window_kind = e.window_kind, tombstone_window_ms = "
      "e.window_ms "
      "FROM executions e WHERE e.id = i.execution_id; DELETE FROM executions");

  const domain::Holder holder = holder_in(session->run("semel_read_holders", identities_of({task("a")})), 0);

  EXPECT_TRUE(holder.tombstone);
  EXPECT_EQ(holder.id, removed);
  EXPECT_EQ(holder.state, domain::State::completed);
  EXPECT_EQ(decide(holder, domain::Reuse::reject_duplicate, ManualClock::start), domain::Verdict::duplicate);
  EXPECT_EQ(created_of(session->run("semel_take_over", takeover_of({task("a")}, {removed}))), Created{true});
  EXPECT_FALSE(holder_in(session->run("semel_read_holders", identities_of({task("a")})), 0).tombstone);
}

TEST_F(ClaimIdentity, TakeoversByManySessionsHappenOnce) {
  constexpr int sessions = 4;
  constexpr int keys = 40;
  const auto setup = open();
  for (int i = 0; i < keys; ++i) create_closed(*setup, std::to_string(i), domain::State::failed);
  std::mutex mutex;  // guards ids_, taken and errors
  int taken = 0;
  std::vector<std::string> errors;
  std::barrier together(sessions);
  const auto take_all = [&](std::uint32_t seed) {
    const auto session = open();
    std::mt19937 random(seed);
    std::vector<Submit> batch;
    {
      const std::lock_guard lock(mutex);
      for (int i = 0; i < keys; ++i) batch.push_back(task(std::to_string(i)));
    }
    std::shuffle(batch.begin(), batch.end(), random);
    together.arrive_and_wait();
    try {
      session->execute("BEGIN");
      session->run("semel_lock_identities", identities_of(batch));
      const Rows holders = session->run("semel_read_holders", identities_of(batch));
      std::vector<Submit> takers;
      std::vector<domain::ExecutionId> expected;
      for (int row = 0; row < holders.count(); ++row) {
        const domain::Holder holder = holder_in(holders, row);
        if (!takes_over(decide(holder, domain::Reuse::allow_duplicate_failed_only, ManualClock::start))) continue;
        takers.push_back(batch[static_cast<std::size_t>(row)]);
        expected.push_back(holder.id);
      }
      const Created created = created_of(session->run("semel_take_over", takeover_of(takers, expected)));
      session->execute("COMMIT");
      const std::lock_guard lock(mutex);
      taken += static_cast<int>(std::count(created.begin(), created.end(), true));
    } catch (const SqlError& error) {
      const std::lock_guard lock(mutex);
      errors.push_back(error.what());
    }
  };

  std::vector<std::thread> threads;
  for (std::uint32_t seed = 1; seed <= sessions; ++seed) threads.emplace_back(take_all, seed);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(errors, std::vector<std::string>{});
  EXPECT_EQ(taken, keys);
  EXPECT_EQ(count(*setup, "executions"), 2 * keys);
}

}  // namespace
}  // namespace semel::test
