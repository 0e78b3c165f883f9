#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "store/postgres/announcer.hpp"
#include "store/postgres/archive.hpp"
#include "store/postgres/batch.hpp"
#include "store/postgres/given_leases.hpp"
#include "store/postgres/listener.hpp"
#include "store/postgres/pool.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/postgres/queue_hints.hpp"
#include "store/postgres/store_clock.hpp"

namespace semel::store {

/// The parts of an open store.
class PostgresStore::Inner {
 public:
  Inner(const std::string& target, const PostgresOptions& options);
  ~Inner();

  Applied apply(std::span<const Command> commands);
  Promised promise(std::span<const Holding> holdings, Duration length, Duration grace);

  /// Runs `read` with a connection, once more when that turned out to be broken.
  template <typename Read>
  auto read(Read read) {
    for (int tries = 0;; ++tries) {
      auto reader = readers.borrow();
      try {
        return read(*reader);
      } catch (const StoreFault&) {
        if (!reader->is_broken() || tries > 0) throw;
      }
    }
  }

  const std::string target;
  const std::string server;  // this one, among those that tell each other their news
  postgres::StoreClock clock;
  postgres::Pool writers;
  postgres::Pool readers;
  postgres::Pool archivist;  // one connection, so that nobody waits for what is put away
  Plans plans;
  const std::size_t list_rows_max;
  std::atomic<bool> tells = false;  // somebody listens here: so others may there
  std::atomic<bool> leads = false;
  postgres::Announcer announcer;
  std::unique_ptr<postgres::Listener> listener;
  postgres::Archive archive;
  postgres::QueueHints hints;
  postgres::GivenLeases leases;

 private:
  class Application;

  /// What a transaction left, beside its outcomes.
  struct Told {
    std::vector<Change> changes{};
    std::vector<Ready> ready{};
    std::vector<postgres::TenantAndId> to_forget{};  // closed, in queues that keep nothing
    std::set<postgres::TenantAndId> leaving{};       // tasks that go with one of these, and closed with it
  };
  /// Runs `work` in a transaction and commits it. Again, from the beginning, when others were in the way, or the
  /// connection had broken before the commit. `now` is set by the first of the transactions that share it.
  using Manner = postgres::Connection::Manner;
  Told transact(std::optional<Time>& now, const std::function<void(postgres::Batch&)>& work,
                const Manner& manner = {}) {
    return transact(writers, now, work, manner);
  }
  Told transact(postgres::Pool& pool, std::optional<Time>& now, const std::function<void(postgres::Batch&)>& work,
                const Manner& manner = {});
  Told transact_once(postgres::Connection& connection, std::optional<Time>& now,
                     const std::function<void(postgres::Batch&)>& work, const Manner& manner);

  /// Writes down how late it is, so that time does not go backwards over a restart: at most once a second.
  void keep_time(bool at_once);

  const domain::TenantLimits limits_;
  std::atomic<std::chrono::steady_clock::time_point> time_kept_{};
};

}  // namespace semel::store
