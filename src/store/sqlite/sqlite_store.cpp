#include "store/sqlite/sqlite_store.hpp"

#include <algorithm>

#include "store/sqlite/dispatch_row.hpp"
#include "store/sqlite/inner.hpp"

namespace semel::store {

using sqlite::Connection;
using sqlite::FoundHolder;
using sqlite::IdentityKey;
using sqlite::Scoped;

Readers::Readers(const std::filesystem::path& file, int count) {
  for (int i = 0; i < count; ++i) {
    auto connection = std::make_unique<Connection>(file, Connection::Access::read_only);
    connection->execute("PRAGMA cache_size = -2048; PRAGMA query_only = ON");
    free_.push_back(std::move(connection));
  }
}

Readers::Loan Readers::borrow() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !free_.empty(); });
  std::unique_ptr<Connection> connection = std::move(free_.back());
  free_.pop_back();
  return {*this, std::move(connection)};
}

void Readers::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(connection));
  }
  returned_.notify_one();
}

SqliteStore::SqliteStore(const std::filesystem::path& file, const Clock& clock, SqliteOptions options)
    : inner_(std::make_unique<Inner>(file, clock, options)) {}

SqliteStore::~SqliteStore() {
  try {
    inner_->writer.checkpoint(true);
  } catch (const StoreFault&) {  // the log is read again at the next start: nothing is lost
  }
}

Applied SqliteStore::apply(std::span<const Command> commands) { return inner_->apply(commands); }
bool SqliteStore::tidy_up() { return inner_->tidy_up(); }
Time SqliteStore::now() const { return inner_->clock.now(); }

/// Memory is asked before the snapshot is taken: what leaves memory in between is in the table by then.
std::vector<std::optional<Held>> SqliteStore::probe(std::span<Submit* const> submissions) {
  const Time time = now();
  const std::uint64_t epoch = inner_->identities.epoch();  // before looking: see IdentityIndex::epoch()
  std::vector<std::optional<std::int64_t>> tenants(submissions.size());
  std::vector<std::optional<std::int64_t>> recent(submissions.size());
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    const domain::ExecutionSpec& spec = submissions[i]->spec;
    tenants[i] = inner_->tenants.find(spec.tenant);
    const bool has_identity = spec.identity.mode != domain::Mode::none;
    if (tenants[i] && has_identity) recent[i] = inner_->identities.recent({*tenants[i], spec.identity.hash});
  }
  auto reader = inner_->readers.borrow();
  std::optional<sqlite::Snapshot> snapshot;
  if (submissions.size() > 1) snapshot.emplace(*reader);
  std::vector<std::optional<Held>> found(submissions.size());
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    const domain::ExecutionSpec& spec = submissions[i]->spec;
    if (!tenants[i]) continue;
    if (spec.client_made_id) {
      auto same = sqlite::find_client_id(*reader, spec.tenant, *tenants[i], spec.id, time).taken_by;
      if (same) found[i] = std::move(*same).held(true);
    }
    if (found[i] || spec.identity.mode == domain::Mode::none) continue;
    const IdentityKey key{*tenants[i], spec.identity.hash};
    const std::int64_t seq = recent[i] ? *recent[i] : sqlite::IdentityIndex::find_merged(*reader, key);
    auto holder = sqlite::load_holder(*reader, spec.tenant, key, seq);
    if (!holder) submissions[i]->probe_note = epoch;
    if (!holder || domain::takes_over(domain::decide(holder->holder(), submissions[i]->reuse, time))) continue;
    found[i] = std::move(*holder).held(false);
  }
  return found;
}

std::optional<domain::Execution> SqliteStore::find(std::string_view tenant, domain::ExecutionId id) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  auto reader = inner_->readers.borrow();
  auto row = sqlite::find_by_id(*reader, std::string(tenant), *tenant_id, id);
  if (!row) return std::nullopt;
  return std::move(row->execution);
}

std::optional<domain::Holder> SqliteStore::find_tombstone(std::string_view tenant, domain::ExecutionId id) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  auto reader = inner_->readers.borrow();
  auto row = sqlite::find_tombstone_by_id(*reader, *tenant_id, id);
  if (!row) return std::nullopt;
  return std::move(row->holder);
}

std::optional<Held> SqliteStore::find_holder(std::string_view tenant, const Hash32& hash) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  const IdentityKey key{*tenant_id, hash};
  auto reader = inner_->readers.borrow();
  const auto recent = inner_->identities.recent(key);
  const std::int64_t seq = recent ? *recent : sqlite::IdentityIndex::find_merged(*reader, key);
  auto holder = sqlite::load_holder(*reader, std::string(tenant), key, seq);
  if (!holder) return std::nullopt;
  return std::move(*holder).held(false);
}

std::vector<domain::Attempt> SqliteStore::attempts(std::string_view tenant, domain::ExecutionId id) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return {};
  auto reader = inner_->readers.borrow();
  return sqlite::read_attempts(*reader, *tenant_id, id);
}

std::vector<domain::Attempt> SqliteStore::running_attempts(std::string_view tenant,
                                                           std::span<const domain::ExecutionId> ids) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return {};
  auto reader = inner_->readers.borrow();
  const sqlite::Snapshot snapshot(*reader);
  std::vector<domain::Attempt> running;
  for (const domain::ExecutionId id : ids) {
    std::vector<domain::Attempt> all = sqlite::read_attempts(*reader, *tenant_id, id);
    if (!all.empty() && all.back().outcome == domain::AttemptOutcome::running) running.push_back(std::move(all.back()));
  }
  return running;
}

DuplicateTally SqliteStore::duplicates(std::string_view tenant, domain::ExecutionId id) {
  DuplicateTally tally;
  if (const auto tenant_id = inner_->tenants.find(tenant)) {
    auto reader = inner_->readers.borrow();
    tally = sqlite::read_duplicates(*reader, *tenant_id, id);
  }
  tally.tenant = tenant;
  tally.id = id;
  return tally;
}

std::vector<StoredTemplate> SqliteStore::templates() {
  std::vector<StoredTemplate> templates;
  auto reader = inner_->readers.borrow();
  // With one max(), the bare columns are those of the newest row: a documented extension of SQLite.
  Scoped query = (*reader).use(
      "SELECT tenant_id, namespace, name, version, max(revision), document FROM templates WHERE removed_at IS NULL"
      " GROUP BY tenant_id, namespace, name, version");
  while (query->step()) {
    templates.push_back({inner_->tenants.name_of(query->integer(0)), query->text(1), query->text(2), query->text(3),
                         query->small(4), query->text(5)});
  }
  return templates;
}

std::vector<StoredQueue> SqliteStore::queues() {
  auto reader = inner_->readers.borrow();
  return sqlite::read_queues(*reader, inner_->tenants);
}

std::vector<StoredDispatch> SqliteStore::dispatches(const DispatchQuery& query) {
  const auto tenant_id = inner_->tenants.find(query.tenant);
  if (!tenant_id) return {};
  auto reader = inner_->readers.borrow();
  return sqlite::read_dispatches(*reader, *tenant_id, query);
}

std::vector<DispatchDepth> SqliteStore::dispatch_depths() {
  auto reader = inner_->readers.borrow();
  return sqlite::read_dispatch_depths(*reader, inner_->tenants);
}

std::optional<Time> SqliteStore::next_dispatch() {
  auto reader = inner_->readers.borrow();
  Scoped query = (*reader).use("SELECT min(next_send_at) FROM dispatches WHERE next_send_at IS NOT NULL");
  return query->step() ? query->optional_time(0) : std::nullopt;
}

std::optional<Time> SqliteStore::next_timer() {
  auto reader = inner_->readers.borrow();
  std::optional<Time> next;
  {
    Scoped lease = (*reader).use("SELECT min(lease_until) FROM attempts WHERE outcome = 0");
    if (lease->step()) next = lease->optional_time(0);
  }
  Scoped due = (*reader).use("SELECT min(run_at) FROM executions WHERE phase = 2");
  if (due->step() && !due->is_null(0)) next = std::min(next.value_or(due->time(0)), due->time(0));
  Scoped late = (*reader).use(
      "SELECT min(deadline) FROM executions INDEXED BY executions_deadline"
      " WHERE deadline IS NOT NULL AND state IN (0, 2) AND cancel_requested = 0");
  if (late->step() && !late->is_null(0)) next = std::min(next.value_or(late->time(0)), late->time(0));
  Scoped timer = (*reader).use("SELECT min(fire_at) FROM timers");
  if (timer->step() && !timer->is_null(0)) next = std::min(next.value_or(timer->time(0)), timer->time(0));
  return next;
}

std::string SqliteStore::check_integrity() {
  auto reader = inner_->readers.borrow();
  Scoped query = (*reader).use("PRAGMA integrity_check");
  return query->step() ? query->text(0) : "no answer";
}

}  // namespace semel::store
