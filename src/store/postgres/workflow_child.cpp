#include <algorithm>
#include <utility>

#include "domain/workflow/code/cut_loose.hpp"
#include "store/postgres/workflows.hpp"

/// What becomes of that which is open below code workflows that end.
namespace semel::store::postgres {
namespace {

struct OpenChild {
  TenantAndId id;
  bool is_code = false;
};

/// In the order in which they were made.
std::vector<OpenChild> open_children(Batch& batch, const TenantAndId& workflow) {
  std::vector<OpenChild> children;
  const Rows rows = batch.connection.run(
      "SELECT e.id, e.handler FROM executions e WHERE e.tenant = $1 AND e.run = $2 AND e.run IS NOT NULL"
      " AND e.state IN (0, 1, 2) ORDER BY e.seq",
      workflow.first, workflow.second);
  for (const Row row : rows)
    children.push_back({{workflow.first, {row.uuid(0)}}, domain::code::is_workflow_handler(row.view(1))});
  return children;
}

/// They belong to nobody from now on. Whoever ends one of them holds it, and sees that.
void cut_loose(Batch& batch, std::span<const TenantAndId> children) {
  if (children.empty()) return;
  const IdArrays ids(children);
  batch.connection.run(
      "UPDATE executions e SET run = NULL, task_key = NULL FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
      " WHERE e.tenant = u.tenant AND e.id = u.id",
      ids.tenants, ids.ids);
  for (const TenantAndId& id : children) {
    HeldWorkflow& child = batch.runs.workflows.at(id);
    child.execution.spec.step.reset();
    child.loaded.spec.step.reset();
    batch.runs.tasks.erase(id);
  }
}

/// As far as this transaction has met them.
bool is_below(const Batch& batch, TenantAndId id, const TenantAndId& root) {
  for (auto above = batch.runs.tasks.find(id); above != batch.runs.tasks.end(); above = batch.runs.tasks.find(id)) {
    id.second = above->second;
    if (id == root) return true;
  }
  return false;
}

}  // namespace

void drop_children(Batch& batch) {
  for (const auto& [id, by_force] : std::exchange(batch.runs.dropped, {})) {
    const std::vector<OpenChild> children = open_children(batch, id);
    std::set<TenantAndId> workflows;
    for (const OpenChild& child : children) {
      if (child.is_code) workflows.insert(child.id);
    }
    hold_workflows(batch, workflows);
    std::vector<TenantAndId> abandoned;
    for (const OpenChild& child : children) {
      const auto held = batch.runs.workflows.find(child.id);
      const bool goes_on = held != batch.runs.workflows.end() && held->second.abandon;
      if (goes_on && !held->second.is_closed()) abandoned.push_back(child.id);
      else if (!goes_on) batch.runs.cancelled.emplace_back(child.id, by_force);
    }
    cut_loose(batch, abandoned);
    domain::code::cut_loose(batch.runs.workflows.at(id).loaded.facts, std::ssize(abandoned));
  }
}

void note_leaving_below(Batch& batch, std::span<const TenantAndId> roots) {
  for (const TenantAndId& root : roots) {
    if (!batch.runs.workflows.contains(root)) continue;
    for (std::size_t i = batch.command_began; i < batch.changes.size(); ++i) {
      const Change& change = batch.changes[i];
      const TenantAndId id{change.tenant, change.id};
      if (domain::is_closed(change.state) && is_below(batch, id, root)) batch.runs.leaving.insert(id);
    }
  }
}

}  // namespace semel::store::postgres
