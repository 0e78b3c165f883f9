#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/batch.hpp"
#include "store/sqlite/dispatch_row.hpp"
#include "store/sqlite/facts.hpp"
#include "store/sqlite/open_run.hpp"
#include "store/sqlite/open_workflow.hpp"

/// How executions leave: one by one, when their retention has passed, or at once where nothing is kept.
namespace semel::store::sqlite {
namespace {

bool holds_identity(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row) {
  const domain::Identity& identity = row.execution.spec.identity;
  if (identity.mode == domain::Mode::none || row.superseded) return false;
  return batch.identities.find(batch.connection, {tenant_id, identity.hash}) == row.seq;
}

void erase(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row, bool holds) {
  erase_dispatches(batch.connection, tenant_id, row.seq);
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

/// What a run or a code workflow has begun.
struct Child {
  std::int64_t seq = 0;
  domain::ExecutionId id{};
  bool is_open = false;
};

void add_children(Batch& batch, std::int64_t tenant_id, domain::ExecutionId run, std::vector<Child>& children) {
  Scoped query = batch.connection.use(
      "SELECT seq, id, state FROM executions INDEXED BY executions_of_run"
      " WHERE tenant_id = ?1 AND run IS NOT NULL AND run = ?2");
  query->bind(1, tenant_id).bind(2, run.uuid);
  while (query->step()) {
    const auto state = static_cast<domain::State>(query->integer(2));
    children.push_back({query->integer(0), {query->uuid(1)}, domain::is_open(state)});
  }
}

/// And what that has begun, and so on.
std::vector<Child> all_below(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& root) {
  std::vector<Child> below;
  if (root.kind != domain::Kind::workflow) return below;
  add_children(batch, tenant_id, root.id, below);
  for (std::size_t i = 0; is_code(root) && i < below.size(); ++i) add_children(batch, tenant_id, below[i].id, below);
  return below;
}

bool is_open_below(const std::vector<Child>& below) {
  return std::any_of(below.begin(), below.end(), [](const Child& child) { return child.is_open; });
}

struct Gone {
  std::int64_t executions = 1;
  bool left_tombstone = false;
};

/// An execution with all that is below it, which is closed.
Gone remove_whole(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row, const std::vector<Child>& below) {
  Gone gone;
  const domain::ExecutionSpec& spec = row.execution.spec;
  batch.begin_writing();
  for (const Child& child : below) {
    const auto found = find_by_seq(batch.connection, spec.tenant, child.seq);
    if (is_code(found->execution.spec)) remove_workflow(batch, tenant_id, child.id);
    remove_row(batch, tenant_id, *found);
    gone.executions += 1;
  }
  if (is_code(spec)) remove_workflow(batch, tenant_id, spec.id);
  else if (spec.kind == domain::Kind::workflow) remove_run(batch, tenant_id, spec.id);
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
            " WHERE closed_at IS NOT NULL AND run IS NULL AND kind = 1 AND (tenant_id, queue) > (?1, ?2) ORDER BY "
            "tenant_id, queue"
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
          ? "SELECT seq FROM executions INDEXED BY executions_closed_runs WHERE closed_at IS NOT NULL AND run IS NULL "
            "AND kind = 1"
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
    const std::vector<Child> below = all_below(batch, place.tenant_id, row->execution.spec);
    if (!is_open_below(below)) removed += remove_whole(batch, place.tenant_id, *row, below).executions;
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

/// What is below a root and was closed by the changes from `first` on, for whoever waits for it.
void keep_for_waiters(Batch& batch, std::int64_t tenant_id, const std::string& tenant, const std::vector<Child>& below,
                      std::size_t first) {
  for (std::size_t i = first; i < batch.changes.size() && !below.empty(); ++i) {
    const Change& change = batch.changes[i];
    const auto is_it = [&](const Child& child) { return child.id == change.id; };
    if (!domain::is_closed(change.state) || change.tenant != tenant) continue;
    if (std::none_of(below.begin(), below.end(), is_it)) continue;
    auto row = find_by_id(batch.connection, tenant, tenant_id, change.id);
    if (row) batch.gone.push_back(std::move(row->execution));
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
  const std::vector<Child> below = all_below(batch, *tenant_id, row->execution.spec);
  if (is_open_below(below)) return Removed{Removed::Kind::still_open};
  const Gone gone = remove_whole(batch, *tenant_id, *row, below);
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
    const std::vector<Child> below = all_below(batch, *tenant_id, row->execution.spec);
    if (is_open_below(below)) continue;  // the sweeper finds it
    keep_for_waiters(batch, *tenant_id, change.tenant, below, first);
    remove_whole(batch, *tenant_id, *row, below);
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
