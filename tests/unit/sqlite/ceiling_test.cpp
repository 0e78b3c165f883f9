#include "store/sqlite/ceiling.hpp"

#include "tests/support/database.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::test {
namespace {

using Ceiling = store::SqliteCeiling;
using Step = store::Ceiling::Step;

/// What the rows say about how far tasks have come: state, phase, attempts, and what the attempts came to.
std::vector<std::string> lives(const std::filesystem::path& file) {
  return Database(file).column(
      "SELECT e.state || ' ' || e.phase || ' ' || e.attempt || ' ' || (e.started_at IS NOT NULL) || ' ' ||"
      " (e.closed_at IS NOT NULL) || ' ' || coalesce(e.result, '-') || ' ' || coalesce(a.outcome, '-') || ' ' ||"
      " (a.ended_at IS NOT NULL) FROM executions e LEFT JOIN attempts a ON a.seq = e.seq ORDER BY e.seq");
}

TEST(Ceiling, LeavesTheRowsThatTheStoreLeaves) {
  StoreFile store;
  for (int i = 0; i < 3; ++i) store.apply(store.task(i));
  Claim claim{std::string(default_tenant), "w", {std::string(default_queue)}, {}, std::nullopt, 30s,
              store.ids.attempts(2)};
  const auto leases = std::get<Claimed>(store.apply(claim)).leases;
  store.apply(Complete{std::string(default_tenant), leases.at(0).attempt_id, "{}"});
  store.close();
  TempDir folder;
  {
    Ceiling all({.file = folder / "raw.db", .group = 1});
    all.measure({Step::submit, Step::claim, Step::complete}, Duration{0});
    all.measure({Step::submit, Step::claim}, Duration{0});
    all.measure({Step::submit}, Duration{0});
  }

  EXPECT_EQ(lives(folder / "raw.db"), lives(store.file()));
}

TEST(Ceiling, TakesTheReadyTasksOfACopy) {
  StoreFile store;
  for (int i = 0; i < 5; ++i) store.apply(store.task(i));
  store.close();
  Ceiling ceiling({.file = store.file(), .group = 2, .ready = 3});

  const store::Rate first = ceiling.measure({Step::claim, Step::complete}, Duration{0});
  const store::Rate rest = ceiling.measure({Step::claim, Step::complete}, 1h);
  const store::Rate none = ceiling.measure({Step::claim, Step::complete}, 1h);

  EXPECT_EQ(first.count, 2u);
  EXPECT_EQ(rest.count, 1u);
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(Database(store.file()).column("SELECT state FROM executions ORDER BY seq"),
            (std::vector<std::string>{"0", "0", "3", "3", "3"}));
}

TEST(Ceiling, EndsAtSoManyTasks) {
  TempDir folder;
  Ceiling ceiling({.file = folder / "raw.db", .group = 4});

  EXPECT_EQ(ceiling.measure({Step::submit, Step::claim, Step::complete}, 1h, 8).count, 8u);
}

}  // namespace
}  // namespace semel::test
