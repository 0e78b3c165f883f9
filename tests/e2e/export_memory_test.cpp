#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "tests/e2e/export.hpp"
#include "tests/support/database.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

/// Runs a command to its end, and prints the most memory that it had, in KiB.
constexpr const char* peak_of_command =
    "import resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n";

/// A store with many tasks, each a copy of one that was made by a server and has failed once.
class ExportMemoryLong : public testing::Test {
 protected:
  void SetUp() override {
    FilledServer server("sqlite:" + file().string());
    ASSERT_EQ(server.process().stop(), 0);
  }

  std::filesystem::path file() const { return folder_ / "semel.db"; }

  /// `changed` says which columns differ, by a number i that counts from `first`.
  void multiply(const std::string& table, const std::string& which, std::map<std::string, std::string> changed,
                std::int64_t first, std::int64_t count) {
    Database store(file(), Database::Access::read_write);
    std::string names;
    std::string values;
    for (const std::string& name : store.column("SELECT name FROM pragma_table_info('" + table + "')")) {
      names += (names.empty() ? "" : ", ") + name;
      values += (values.empty() ? "" : ", ") + (changed.contains(name) ? changed[name] : "t." + name);
    }
    store.execute(
        fmt::format("WITH RECURSIVE n(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM n WHERE i < {})"
                    " INSERT INTO {} ({}) SELECT {} FROM n CROSS JOIN (SELECT * FROM {} WHERE {} LIMIT 1) t",
                    first, first + count - 1, table, names, values, table, which));
  }

  void add_tasks(std::int64_t first, std::int64_t count, const std::string& context) {
    multiply("executions", "key = 'waiting'",
             {{"seq", "i"},
              {"id", "CAST(printf('%016d', i) AS BLOB)"},
              {"hash", "NULL"},
              {"key", "NULL"},
              {"context", context}},
             first, count);
    multiply("attempts", "outcome = 2", {{"seq", "i"}, {"id", "CAST(printf('a%015d', i) AS BLOB)"}, {"number", "1"}},
             first, count);
  }

  /// Of the larger of two stores. Two million unless SEMEL_EXPORT_TASKS says otherwise.
  static std::int64_t tasks_wanted() {
    const char* const wanted = std::getenv("SEMEL_EXPORT_TASKS");
    return wanted != nullptr ? std::stoll(wanted) : 2'000'000;
  }

  /// In MiB.
  std::int64_t peak_of_export() {
    std::filesystem::remove_all(out());
    const Finished done = run_to_end({"python3", "-c", peak_of_command, places::semel, "export", "--store",
                                      "sqlite:" + file().string(), "--out", out().string()});
    if (done.code != 0) throw std::runtime_error(done.errors);
    return std::stoll(done.output) / 1'024;
  }

  std::filesystem::path out() const { return folder_ / "export"; }
  std::int64_t rows_of(const std::string& table) const {
    return query_export(out(), "select count(*) as n from " + table)[0]["n"].get<std::int64_t>();
  }

  TempDir folder_;
};

TEST_F(ExportMemoryLong, DoesNotGrowWithTheNumberOfTasks) {
  const std::string context = R"('{"order":' || i || ',"text":"' || hex(randomblob(100)) || '"}')";
  constexpr std::int64_t few = 300'000;
  add_tasks(1'000, few, context);
  const std::int64_t small = peak_of_export();
  add_tasks(1'000'000, tasks_wanted() - few, context);
  const auto begun = std::chrono::steady_clock::now();
  const std::int64_t large = peak_of_export();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;

  EXPECT_EQ(rows_of("executions"), tasks_wanted() + 9);
  EXPECT_LT(large, small + 128);
  EXPECT_LT(large, 768);
  std::int64_t rows = 0;
  for (const char* table : {"executions", "attempts", "dispatch_outbox", "timers", "identities", "events"})
    rows += rows_of(table);
  fmt::print("{} tasks, {} rows: {} MiB ({} MiB of {} tasks), {:.0f} s\n", tasks_wanted(), rows, large, small, few,
             took.count());
}

TEST_F(ExportMemoryLong, DoesNotGrowWithTheSizeOfContexts) {
  add_tasks(1'000, 2'000, "'\"' || hex(randomblob(500000)) || '\"'");  // a megabyte each

  const std::int64_t peak = peak_of_export();

  EXPECT_EQ(rows_of("executions"), 2'009);
  EXPECT_LT(peak, 768);
}

}  // namespace
}  // namespace semel::test
