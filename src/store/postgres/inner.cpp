#include "store/postgres/inner.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/uuid7_source.hpp"
#include "store/postgres/migrate.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/workflows.hpp"

namespace semel::store {
namespace {

using postgres::Batch;
using postgres::Connection;

constexpr int tries_max = 5;
constexpr std::chrono::seconds time_kept_every{1};

}  // namespace

std::vector<postgres::TenantAndId> postgres::closed_to_forget(Batch& batch) {
  std::vector<postgres::TenantAndId> ids;
  for (const Change& change : batch.changes) {
    if (!domain::is_closed(change.state) || batch.runs.tasks.contains({change.tenant, change.id})) continue;
    if (batch.queues.settings({change.tenant, change.queue}).retention > Duration{0}) continue;
    ids.emplace_back(change.tenant, change.id);
  }
  return ids;
}

PostgresStore::Inner::Inner(const std::string& given_target, const PostgresOptions& options)
    : target(given_target),
      server(fmt::format("{:016x}", secure_random())),
      clock(options.clock),
      writers(target, options.connections, postgres::Connection::Plans::for_batches),
      readers(target, options.readers, postgres::Connection::Plans::as_it_likes),
      archivist(target, 1, postgres::Connection::Plans::for_batches),
      list_rows_max(options.list_rows_max),
      announcer(target, server),
      archive(
          [this](const std::function<void(Batch&)>& work) {
            std::optional<Time> now;
            transact(archivist, now, work);
          },
          {options.stays_for, options.kept_long, options.leaving_for, options.archived_at_once}),
      limits_(options.limits) {
  auto writer = writers.borrow();
  postgres::prepare_schema(*writer, options.migrate);
  if (limits_.is_set()) postgres::recount_usages(*writer);
  const postgres::Rows told = writer->run("SELECT now_ms(), (SELECT value FROM facts WHERE name = 'last_time')");
  if (clock.test() == nullptr) clock.observe(told[0].time(0));
  clock.not_before(told[0].time(1));
}

PostgresStore::Inner::~Inner() { keep_time(true); }

void PostgresStore::Inner::keep_time(bool at_once) {
  const auto present = std::chrono::steady_clock::now();
  auto last = time_kept_.load();
  if (!at_once && present - last < time_kept_every) return;
  if (!time_kept_.compare_exchange_strong(last, present)) return;
  try {
    auto writer = writers.borrow();
    writer->run("UPDATE facts SET value = $1 WHERE name = 'last_time' AND value < $1", clock.last());
  } catch (const StoreFault& fault) {  // the next one will
    log::warn("the time could not be kept: {}", fault.what());
  }
}

PostgresStore::Inner::Told PostgresStore::Inner::transact(postgres::Pool& pool, std::optional<Time>& now,
                                                          const std::function<void(Batch&)>& work,
                                                          const Manner& manner) {
  for (int tries = 1;; ++tries) {
    auto writer = pool.borrow();
    try {
      return transact_once(*writer, now, work, manner);
    } catch (const OutcomeUnknown&) {
      throw;
    } catch (const postgres::Contention&) {
      if (tries == tries_max) throw;
    } catch (const postgres::DataFault&) {
      throw;
    } catch (const StoreFault&) {
      if (!writer->is_broken() || tries > 1) throw;
    }
  }
}

PostgresStore::Inner::Told PostgresStore::Inner::transact_once(Connection& connection, std::optional<Time>& now,
                                                               const std::function<void(Batch&)>& work,
                                                               const Manner& manner) {
  try {
    const Connection::Beginning beginning =
        connection.begin_at(clock.test() != nullptr ? std::optional(clock.now()) : std::nullopt, manner);
    if (!now) now = clock.observe(beginning.now);
    hints.observe(beginning.has_queues);
    Batch batch{connection, *now, {connection, beginning.has_queues}, {connection, limits_}, plans};
    work(batch);
    settle_runs(batch);
    std::vector<postgres::TenantAndId> to_forget = closed_to_forget(batch);
    note_leaving_below(batch, to_forget);
    flush_audit(batch);
    batch.usages.flush();
    connection.commit();
    return {std::move(batch.changes), std::move(batch.ready), std::move(to_forget), std::move(batch.runs.leaving)};
  } catch (...) {
    connection.roll_back();
    throw;
  }
}

}  // namespace semel::store
