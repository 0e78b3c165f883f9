#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/postgres/postgres_store.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/describe.hpp"
#include "tests/support/postgres_database.hpp"

namespace semel::test {

/// Stores on one database, as several servers would have them.
class PostgresStores : public testing::Test {
 protected:
  std::unique_ptr<store::PostgresStore> open(store::PostgresOptions options = {}) {
    if (options.clock == nullptr) options.clock = &clock_;
    return std::make_unique<store::PostgresStore>(database_.target(), options);
  }

  SubmitBuilder task() { return submission(ids_); }

  static std::vector<Outcome> apply(Store& store, const std::vector<Command>& commands) {
    return store.apply(commands).outcomes;
  }
  static Outcome apply(Store& store, const Command& command) { return apply(store, std::vector{command}).at(0); }

  template <typename T>
  static T as(const Outcome& outcome) {
    if (const T* one = std::get_if<T>(&outcome)) return *one;
    ADD_FAILURE() << "unexpected outcome: " << describe(outcome);
    return T{};
  }

  std::int64_t count(const std::string& what) {
    return std::stoll(database_.open()->execute("SELECT count(*) FROM " + what).text(0, "count"));
  }

  /// Runs the work in so many threads, and waits for them.
  static void in_threads(int count, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&work, i] {
        try {
          work(i);
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// Waits until somebody waits for a lock. (Nothing tells a test when that is; the server is asked.)
  void await_lock() {
    const auto observer = database_.open();
    for (int tries = 0; tries < 2000; ++tries) {
      const Rows rows = observer->execute(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
      if (rows.count() > 0) return;
      observer->execute("SELECT pg_sleep(0.005)");
    }
    FAIL() << "nobody ever waited for a lock";
  }

  PostgresDatabase database_;
  ManualClock clock_;
  Ids ids_;
};

}  // namespace semel::test
