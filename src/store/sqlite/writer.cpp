#include <fmt/format.h>

#include <algorithm>

#include "store/sqlite/facts.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/migrate.hpp"
#include "store/sqlite/settings.hpp"

namespace semel::store {
namespace {

using sqlite::Connection;
using sqlite::IdentityIndex;

constexpr std::size_t merge_rows_when_alone = 2'000;

std::int64_t newest_seq(Connection& connection) {
  sqlite::Scoped query = connection.use("SELECT coalesce(max(seq), 0) FROM executions");
  query->step();
  return std::max(query->integer(0), sqlite::read_fact(connection, sqlite::fact::last_seq));
}

void set_up(Connection& connection, const std::filesystem::path& file, Migrate migrate) {
  sqlite::check_is_ours(connection, file);
  const SchemaState schema = sqlite::read_schema(connection);
  if (migrate == Migrate::never && !schema.is_current())
    throw StoreFault(must_be_migrated(schema, "sqlite:" + file.string()));
  sqlite::configure_writer(connection);
  sqlite::migrate(connection);
}

Outcome cannot_hold(const sqlite::DataFault& fault) {
  return Rejected{{ErrorCode::bad_request, fmt::format("the store cannot hold this: {}", fault.what())}};
}

}  // namespace

SqliteStore::Inner::Inner(const std::filesystem::path& file, const Clock& system_clock, SqliteOptions options)
    : lock(file),
      clock(system_clock),
      writer(file, Connection::Access::read_write),
      identities(options.identity_generation == 0 ? IdentityIndex::generation_max : options.identity_generation),
      usages(options.limits),
      readers((set_up(writer, file, options.migrate), file), options.readers),
      list_rows_max(options.list_rows_max),
      zones(options.list_zone_rows) {
  clock.not_before(from_ms(sqlite::read_fact(writer, sqlite::fact::last_time)));
  tenants.load(writer);
  identities.load(writer);
  usages.load(writer);
  queues.load(writer);
  last_seq = newest_seq(writer);
  while (identities.merge_waits()) merge_alone();  // what a crash left behind, so that memory stays bounded
}

Applied SqliteStore::Inner::apply(std::span<const Command> commands) {
  const Time now = clock.now();
  make_room_for_identities();
  try {
    return apply_together(commands, now);
  } catch (const sqlite::DataFault& fault) {
    if (commands.size() > 1) return apply_one_by_one(commands, now);
    return {now, {cannot_hold(fault)}, {}, {}, {}};
  }
}

Applied SqliteStore::Inner::apply_together(std::span<const Command> commands, Time now) {
  const std::int64_t seq_before = last_seq;
  try {
    Applied applied{now, {}, {}, {}, {}};
    sqlite::Batch batch{writer, identities,      tenants,       usages,       now,  last_seq,
                        queues, applied.changes, applied.ready, applied.gone, plans};
    applied.outcomes.reserve(commands.size());
    for (const Command& command : commands) {
      const std::size_t first_change = applied.changes.size();
      applied.outcomes.push_back(
          std::visit([&batch](const auto& each) { return sqlite::apply(batch, each); }, command));
      sqlite::settle_runs(batch);
      sqlite::forget_closed(batch, first_change);
    }
    commit(now, 0);
    return applied;
  } catch (...) {
    roll_back();
    last_seq = seq_before;
    throw;
  }
}

/// One bad command harms only itself. When the disk fails on the way, what is committed stays answered as committed.
Applied SqliteStore::Inner::apply_one_by_one(std::span<const Command> commands, Time now) {
  Applied applied{now, {}, {}, {}, {}};
  for (const Command& command : commands) {
    try {
      Applied one = apply_together({&command, 1}, now);
      applied.outcomes.push_back(std::move(one.outcomes.front()));
      std::move(one.changes.begin(), one.changes.end(), std::back_inserter(applied.changes));
      std::move(one.ready.begin(), one.ready.end(), std::back_inserter(applied.ready));
      std::move(one.gone.begin(), one.gone.end(), std::back_inserter(applied.gone));
    } catch (const sqlite::DataFault& fault) {
      applied.outcomes.push_back(cannot_hold(fault));
    } catch (const StoreFault&) {
      if (applied.outcomes.empty()) throw;
      applied.outcomes.push_back(Rejected{nothing_changed()});
    }
  }
  return applied;
}

void SqliteStore::Inner::commit(Time now, std::size_t merge_rows_min) {
  if (!writer.in_transaction()) return;
  identities.merge_slice(writer, merge_rows_min);
  sqlite::write_fact(writer, sqlite::fact::last_time, to_ms(now));
  writer.use("COMMIT")->run();
  identities.committed(last_seq);
  usages.committed();
}

void SqliteStore::Inner::roll_back() {
  identities.rolled_back();
  usages.rolled_back();
  if (writer.in_transaction()) writer.use("ROLLBACK")->run();
  tenants.load(writer);
  queues.load(writer);
}

/// Back-pressure: while the merge is a whole generation behind, new claims wait for its slices, the commit queue fills,
/// and callers are told to come back later.
void SqliteStore::Inner::make_room_for_identities() {
  while (identities.is_full()) merge_alone();
}

void SqliteStore::Inner::merge_alone() {
  try {
    writer.use("BEGIN IMMEDIATE")->run();
    commit(clock.now(), merge_rows_when_alone);
  } catch (...) {
    roll_back();  // else the rows of the failed slice would count as merged
    throw;
  }
}

bool SqliteStore::Inner::tidy_up() {
  if (!identities.merge_waits()) return false;
  merge_alone();
  return identities.merge_waits();
}

}  // namespace semel::store
