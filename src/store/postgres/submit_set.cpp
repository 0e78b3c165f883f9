#include "store/postgres/submit_set.hpp"

#include <algorithm>

#include "store/postgres/closed.hpp"
#include "store/postgres/workflows.hpp"

namespace semel::store::postgres {
namespace {

bool is_blocked(const NewRow& row) { return row.phase == Phase::blocked; }

}  // namespace

std::vector<TenantAndId> SubmitSet::client_made_ids() const {
  std::vector<TenantAndId> ids;
  for (const Submit* command : commands_) {
    if (command->spec.client_made_id) ids.emplace_back(command->spec.tenant, command->spec.id);
  }
  return ids;
}

/// Client-made ids that exist, or were used, or that two of the batch share, are rare.
bool SubmitSet::ids_are_new() const {
  std::set<TenantAndId> ids;
  for (const Submit* command : commands_) {
    if (!ids.emplace(command->spec.tenant, command->spec.id).second) return false;
  }
  const std::vector<TenantAndId> client_made = client_made_ids();
  if (client_made.empty()) return true;
  const IdArrays wanted(client_made);
  return batch_.connection
      .run(
          "SELECT 1 FROM unnest($1::text[], $2::uuid[]) AS u (tenant, id)"
          " WHERE EXISTS (SELECT FROM executions e WHERE e.tenant = u.tenant AND e.id = u.id)"
          " OR EXISTS (SELECT FROM closed c WHERE c.tenant = u.tenant AND c.id = u.id)"
          " OR EXISTS (SELECT FROM tombstones t WHERE t.tenant = u.tenant AND t.id = u.id) LIMIT 1",
          wanted.tenants, wanted.ids)
      .empty();
}

bool SubmitSet::fits_limits() const {
  if (!batch_.usages.is_limited()) return true;
  std::map<std::string, domain::Usage> more;
  for (const Submit* command : commands_) {
    domain::Usage& usage = more[command->spec.tenant];
    usage.open_tasks += 1;
    usage.payload_bytes += command->spec.context.size();
  }
  return std::all_of(more.begin(), more.end(),
                     [this](const auto& each) { return batch_.usages.fits(each.first, each.second); });
}

void SubmitSet::make_rows() {
  for (const Submit* command : commands_) {
    NewRow& row = rows_.emplace_back(NewRow{&command->spec, run_at_of(*command, batch_.now)});
    row.deadline = deadline_of(*command, batch_.now);
    if (command->spec.kind == domain::Kind::promise) row.phase = Phase::neither;
    else if (row.run_at > batch_.now) row.phase = Phase::waiting;
    else if (command->spec.concurrency_key) row.phase = Phase::blocked;  // until settle()
  }
}

bool SubmitSet::insert() {
  if (commands_.empty()) return true;
  if (!ids_are_new() || !fits_limits()) return false;
  make_rows();
  created_ = insert_claiming(batch_.connection, rows_, batch_.now);
  // Asked again, by a new statement: from now on nobody else can use these ids, and whoever did after the first look
  // has left one where this looks, however quickly it ended and was put away.
  if (any_was_used(batch_.connection, client_made_ids())) return false;
  answer_losers(created_);
  return !order_matters();
}

/// Read by a new statement, which sees all that was committed while the first one waited, and what it has created
/// itself. A duplicate is answered without a lock: it was one at that moment. Who may take over is left, and so is
/// everybody behind it with the same identity.
void SubmitSet::answer_losers(const std::vector<bool>& created) {
  std::vector<TenantAndHash> lost;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!created[i]) lost.emplace_back(commands_[i]->spec.tenant, commands_[i]->spec.identity.hash);
  }
  const std::map<TenantAndHash, FoundHolder> holders = find_holders(batch_.connection, lost);
  std::set<TenantAndHash> left;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (created[i]) continue;
    const TenantAndHash identity{commands_[i]->spec.tenant, commands_[i]->spec.identity.hash};
    const auto found = holders.find(identity);
    const bool is_duplicate = found != holders.end() && !left.contains(identity) &&
                              !takes_over(decide(found->second.holder(), commands_[i]->reuse, batch_.now));
    if (is_duplicate) outcomes_[i] = FoundHolder(found->second).held(false);
    else left.insert(identity);
  }
}

/// Whether somebody who is left would have a place of a concurrency_key before somebody who was created.
bool SubmitSet::order_matters() const {
  std::set<KeyPlace> left;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!is_blocked(rows_[i])) continue;
    const KeyPlace place = key_place(*rows_[i].spec);
    if (created_[i] && left.contains(place)) return true;
    if (!created_[i] && !outcomes_[i]) left.insert(place);
  }
  return false;
}

std::set<TenantAndQueue> SubmitSet::queues() const {
  std::set<TenantAndQueue> queues;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (created_[i] && is_blocked(rows_[i])) queues.emplace(rows_[i].spec->tenant, rows_[i].spec->queue);
  }
  return queues;
}

void SubmitSet::settle() {
  std::map<KeyPlace, std::int64_t> places;
  std::vector<TenantAndId> ready;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!created_[i]) continue;
    NewRow& row = rows_[i];
    if (is_blocked(row)) {
      const KeyPlace place = key_place(*row.spec);
      auto left = places.find(place);
      if (left == places.end()) left = places.emplace(place, free_places(batch_, place)).first;
      if (left->second-- > 0) {
        row.phase = Phase::ready;
        ready.emplace_back(row.spec->tenant, row.spec->id);
      }
    }
    batch_.changes.push_back(created_change(row));
    batch_.usages.opened(row.spec->tenant, row.spec->context.size());
    if (is_code_workflow(*commands_[i])) add_workflow(batch_, *row.spec, row.run_at, row.deadline, false);
    outcomes_[i] = Created{row.spec->id, batch_.now, row.run_at, row.phase == Phase::ready, std::nullopt, {}};
  }
  set_phase(batch_, ready, Phase::ready);
}

}  // namespace semel::store::postgres
