#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "store/sqlite/batch.hpp"
#include "store/sqlite/lock_file.hpp"
#include "store/sqlite/monotonic_clock.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/sqlite/zones.hpp"

namespace semel::store {

/// Connections that read, borrowed for one call each.
class Readers {
 public:
  Readers(const std::filesystem::path& file, int count);

  class Loan {
   public:
    Loan(Readers& readers, std::unique_ptr<sqlite::Connection> connection)
        : readers_(readers), connection_(std::move(connection)) {}
    ~Loan() { readers_.give_back(std::move(connection_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    sqlite::Connection& operator*() { return *connection_; }

   private:
    Readers& readers_;
    std::unique_ptr<sqlite::Connection> connection_;
  };

  /// Waits while all are lent.
  Loan borrow();

 private:
  void give_back(std::unique_ptr<sqlite::Connection> connection);

  std::mutex mutex_;  // guards free_
  std::condition_variable returned_;
  std::vector<std::unique_ptr<sqlite::Connection>> free_;
};

/// The parts of an open store. Members in the order in which they need each other.
class SqliteStore::Inner {
 public:
  Inner(const std::filesystem::path& file, const Clock& clock, SqliteOptions options);

  Applied apply(std::span<const Command> commands);
  bool tidy_up();

  sqlite::LockFile lock;
  sqlite::MonotonicClock clock;
  sqlite::Connection writer;  // the applier thread's
  sqlite::Tenants tenants;
  sqlite::IdentityIndex identities;
  sqlite::Usages usages;  // the applier thread's
  sqlite::Queues queues;  // the applier thread's
  Plans plans;
  std::int64_t last_seq = 0;  // the applier thread's
  Readers readers;
  const std::size_t list_rows_max;
  sqlite::Zones zones;

 private:
  Applied apply_together(std::span<const Command> commands, Time now);
  Applied apply_one_by_one(std::span<const Command> commands, Time now);
  void make_room_for_identities();
  /// A slice of the merge in a transaction of its own.
  void merge_alone();
  void commit(Time now, std::size_t merge_rows_min);
  void roll_back();
};

}  // namespace semel::store
