#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/batch.hpp"
#include "store/sqlite/facts.hpp"
#include "store/sqlite/open_run.hpp"

/// How executions leave: one by one, when their retention has passed, or at once where nothing is kept.
namespace semel::store::sqlite {
namespace {

bool holds_identity(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row) {
  const domain::Identity& identity = row.execution.spec.identity;
  if (identity.mode == domain::Mode::none || row.superseded) return false;
  return batch.identities.find(batch.connection, {tenant_id, identity.hash}) == row.seq;
}

void erase(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row, bool holds) {
  batch.connection.use("DELETE FROM attempts WHERE seq = ?1")->bind(1, row.seq).run();
  batch.connection.use("DELETE FROM duplicates WHERE tenant_id = ?1 AND id = ?2")
      ->bind(1, tenant_id)
      .bind(2, row.execution.spec.id.uuid)
      .run();
  batch.connection.use("DELETE FROM reclaimed WHERE seq = ?1")->bind(1, row.seq).run();
  batch.connection.use("DELETE FROM executions WHERE seq = ?1")->bind(1, row.seq).run();
  write_fact(batch.connection, fact::last_seq, batch.last_seq);  // the newest row may be the one that went
  if (holds) batch.identities.stage({tenant_id, row.execution.spec.identity.hash}, IdentityIndex::nobody);
}

bool remove_row(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row) {
  const bool holds = holds_identity(batch, tenant_id, row);
  const domain::TombstoneClaims claims{row.execution.spec.client_made_id, holds};
  const bool leaves_tombstone = domain::tombstone_holds(domain::tombstone_of(row.execution), claims, batch.now);
  batch.begin_writing();
  erase(batch, tenant_id, row, holds);
  if (leaves_tombstone) insert_tombstone(batch.connection, tenant_id, row.execution, holds);
  return leaves_tombstone;
}

std::vector<std::int64_t> tasks_of_run(Batch& batch, std::int64_t tenant_id, domain::ExecutionId run) {
  std::vector<std::int64_t> tasks;
  Scoped query = batch.connection.use(
      "SELECT seq FROM executions INDEXED BY executions_of_run WHERE tenant_id = ?1 AND run IS NOT NULL AND run = ?2");
  query->bind(1, tenant_id).bind(2, run.uuid);
  while (query->step()) tasks.push_back(query->integer(0));
  return tasks;
}

struct Gone {
  std::int64_t executions = 1;
  bool left_tombstone = false;
};

/// An execution; of a run, all that belongs to it too.
Gone remove_whole(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row) {
  Gone gone;
  if (row.execution.spec.kind == domain::Kind::workflow) {
    batch.begin_writing();
    for (const std::int64_t seq : tasks_of_run(batch, tenant_id, row.execution.spec.id)) {
      remove_row(batch, tenant_id, *find_by_seq(batch.connection, row.execution.spec.tenant, seq));
      gone.executions += 1;
    }
    remove_run(batch, tenant_id, row.execution.spec.id);
  }
  gone.left_tombstone = remove_row(batch, tenant_id, row);
  return gone;
}

struct TenantAndQueue {
  std::int64_t tenant_id = 0;
  std::string queue;
};

/// The next queue that has closed executions of the kind: one look into the index, however many it has.
bool next_queue(Batch& batch, domain::Kind kind, TenantAndQueue& place) {
  Scoped query = batch.connection.use(
      kind == domain::Kind::workflow
          ? "SELECT tenant_id, queue FROM executions INDEXED BY executions_closed_runs"
            " WHERE closed_at IS NOT NULL AND kind = 1 AND (tenant_id, queue) > (?1, ?2) ORDER BY tenant_id, queue"
            " LIMIT 1"
          : "SELECT tenant_id, queue FROM executions INDEXED BY executions_closed"
            " WHERE closed_at IS NOT NULL AND run IS NULL AND kind <> 1 AND (tenant_id, queue) > (?1, ?2)"
            " ORDER BY tenant_id, queue LIMIT 1");
  query->bind(1, place.tenant_id).bind(2, place.queue);
  if (!query->step()) return false;
  place = {query->integer(0), query->text(1)};
  return true;
}

/// Oldest first.
std::vector<std::int64_t> closed_in(Batch& batch, domain::Kind kind, const TenantAndQueue& place, std::int64_t max) {
  const Duration retention = retention_of(batch.queues.settings(place.tenant_id, place.queue), kind);
  std::vector<std::int64_t> old;
  Scoped query = batch.connection.use(
      kind == domain::Kind::workflow
          ? "SELECT seq FROM executions INDEXED BY executions_closed_runs WHERE closed_at IS NOT NULL AND kind = 1"
            " AND tenant_id = ?1 AND queue = ?2 AND closed_at <= ?3 ORDER BY closed_at LIMIT ?4"
          : "SELECT seq FROM executions INDEXED BY executions_closed WHERE closed_at IS NOT NULL AND run IS NULL"
            " AND kind <> 1 AND tenant_id = ?1 AND queue = ?2 AND closed_at <= ?3 ORDER BY closed_at LIMIT ?4");
  query->bind(1, place.tenant_id).bind(2, place.queue).bind(3, batch.now - retention).bind(4, max);
  while (query->step()) old.push_back(query->integer(0));
  return old;
}

/// How many executions went: at least `max` when there are more.
std::int64_t sweep_queue(Batch& batch, domain::Kind kind, const TenantAndQueue& place, std::int64_t max) {
  const std::string tenant = batch.tenants.name_of(place.tenant_id);
  std::int64_t removed = 0;
  for (const std::int64_t seq : closed_in(batch, kind, place, max)) {
    if (removed >= max) break;
    const std::optional<ExecutionRow> row = find_by_seq(batch.connection, tenant, seq);
    ensure(row.has_value());
    removed += remove_whole(batch, place.tenant_id, *row).executions;
  }
  return removed;
}

std::int64_t sweep_kind(Batch& batch, domain::Kind kind, std::int64_t max) {
  std::int64_t removed = 0;
  TenantAndQueue place;
  while (removed < max && next_queue(batch, kind, place)) removed += sweep_queue(batch, kind, place, max - removed);
  return removed;
}

std::int64_t sweep_tombstones(Batch& batch, std::int64_t max) {
  std::vector<std::pair<std::int64_t, domain::ExecutionId>> stale;
  {
    Scoped query = batch.connection.use(
        "SELECT tenant_id, id FROM tombstones INDEXED BY tombstones_by_expiry"
        " WHERE expires_at IS NOT NULL AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2");
    query->bind(1, batch.now).bind(2, max);
    while (query->step()) stale.emplace_back(query->integer(0), domain::ExecutionId{query->uuid(1)});
  }
  if (!stale.empty()) batch.begin_writing();
  for (const auto& [tenant_id, id] : stale) remove_tombstone(batch.connection, tenant_id, id);
  return std::ssize(stale);
}

/// Tasks of a run that the changes from `first` on closed, for whoever waits for them.
void keep_for_waiters(Batch& batch, std::int64_t tenant_id, const domain::Execution& run, std::size_t first) {
  if (run.spec.kind != domain::Kind::workflow) return;
  for (std::size_t i = first; i < batch.changes.size(); ++i) {
    const Change& change = batch.changes[i];
    if (!domain::is_closed(change.state) || change.tenant != run.spec.tenant) continue;
    auto row = find_by_id(batch.connection, change.tenant, tenant_id, change.id);
    const bool is_its_task = row && row->execution.spec.step && row->execution.spec.step->run == run.spec.id;
    if (is_its_task) batch.gone.push_back(std::move(row->execution));
  }
}

}  // namespace

Outcome apply(Batch& batch, const Remove& command) {
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return Removed{};
  const auto row = find_by_id(batch.connection, command.tenant, *tenant_id, command.id);
  if (!row) return Removed{};
  if (domain::is_open(row->execution.state)) return Removed{Removed::Kind::still_open};
  if (row->execution.spec.step) return Removed{Removed::Kind::goes_with_its_run};
  const Gone gone = remove_whole(batch, *tenant_id, *row);
  return Removed{gone.left_tombstone ? Removed::Kind::left_tombstone : Removed::Kind::removed};
}

void forget_closed(Batch& batch, std::size_t first) {
  for (std::size_t i = first; i < batch.changes.size(); ++i) {
    const Change& change = batch.changes[i];
    if (!domain::is_closed(change.state)) continue;
    const auto tenant_id = batch.tenants.find(change.tenant);
    ensure(tenant_id.has_value());
    if (batch.queues.settings(*tenant_id, change.queue).retention > Duration{0}) continue;
    auto row = find_by_id(batch.connection, change.tenant, *tenant_id, change.id);
    if (!row || domain::is_open(row->execution.state) || row->execution.spec.step) continue;
    keep_for_waiters(batch, *tenant_id, row->execution, first);
    remove_whole(batch, *tenant_id, *row);
    batch.gone.push_back(std::move(row->execution));
  }
}

Outcome apply(Batch& batch, const Sweep& command) {
  std::int64_t removed = sweep_kind(batch, domain::Kind::task, command.max);
  removed += sweep_kind(batch, domain::Kind::workflow, command.max - removed);
  const std::int64_t left = std::max<std::int64_t>(0, command.max - removed);
  Swept swept;
  swept.executions = static_cast<int>(removed);
  swept.tombstones = static_cast<int>(left > 0 ? sweep_tombstones(batch, left) : 0);
  swept.more = swept.executions + swept.tombstones >= command.max;
  return swept;
}

}  // namespace semel::store::sqlite
