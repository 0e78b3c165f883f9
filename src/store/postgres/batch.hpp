#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ports/change.hpp"
#include "ports/command.hpp"
#include "ports/store.hpp"
#include "store/common/plans.hpp"
#include "store/postgres/execution_row.hpp"
#include "store/postgres/queues.hpp"
#include "store/postgres/run_book.hpp"
#include "store/postgres/tombstone_row.hpp"
#include "store/postgres/usages.hpp"

namespace semel::store::postgres {

/// What the commands of one transaction work with. All of them lock in the order that the migration names.
struct Batch {
  Connection& connection;
  Time now;
  Queues queues;
  Usages usages;
  Plans& plans;
  std::vector<Change> changes{};
  std::size_t command_began = 0;  // the first change of the command that is applied
  std::vector<Ready> ready{};
  std::vector<std::pair<std::string, AuditEntry>> audit{};  // tenant and entry, to be written at the end
  std::set<std::string, std::less<>> names{};               // that are locked
  std::map<std::string, std::int64_t> schedules{};          // that tenants have, where it was counted under the lock
  RunBook runs{};
};

/// Commands that are applied one by one, each in the file of its name.
Outcome apply(Batch& batch, const SignalWorkflow& command);
Outcome apply(Batch& batch, const SettlePromise& command);
Outcome apply(Batch& batch, const GiveBack& command);
Outcome apply(Batch& batch, const Cancel& command);
Outcome apply(Batch& batch, const Reopen& command);
Outcome apply(Batch& batch, const RetrySteps& command);
Outcome apply(Batch& batch, const ResolveStep& command);
Outcome apply(Batch& batch, const ExpireLeases& command);
Outcome apply(Batch& batch, const PromoteDue& command);
Outcome apply(Batch& batch, const Remove& command);
Outcome apply(Batch& batch, const Sweep& command);
Outcome apply(Batch& batch, const Release& command);
Outcome apply(Batch& batch, const PutTemplate& command);
Outcome apply(Batch& batch, const RemoveTemplate& command);
Outcome apply(Batch& batch, const PutQueue& command);
Outcome apply(Batch& batch, const PauseQueue& command);
Outcome apply(Batch& batch, const SetQueueDefaults& command);
Outcome apply(Batch& batch, const PutSchedule& command);
Outcome apply(Batch& batch, const PauseSchedule& command);
Outcome apply(Batch& batch, const RemoveSchedule& command);
Outcome apply(Batch& batch, const AdvanceSchedule& command);
Outcome apply(Batch& batch, const RecordDuplicates& command);
Outcome apply(Batch& batch, const CreateKey& command);
Outcome apply(Batch& batch, const RevokeKey& command);
Outcome apply(Batch& batch, const PostponeDispatch& command);
Outcome apply(Batch& batch, const TakeDispatches& command);
Outcome apply(Batch& batch, const RepairDispatch& command);
Outcome apply(Batch& batch, const KeepSecret& command);
/// One submission by itself; those of a batch are applied as a set (submit.hpp).
Outcome apply(Batch& batch, const Submit& command);

/// Notes that an execution came to a state. What is special about that may be added.
inline Change& tell(Batch& batch, const domain::Execution& execution, domain::State state) {
  batch.changes.push_back(change_of(execution.spec, state));
  batch.changes.back().attempt = execution.attempt;
  if (const auto& step = execution.spec.step)
    batch.runs.tasks.insert_or_assign({execution.spec.tenant, execution.spec.id}, step->run);
  return batch.changes.back();
}

/// Closes a locked execution that nobody works on, because its deadline has passed. Its queue is locked if it has a
/// concurrency_key. A run is cancelled.
void time_out(Batch& batch, const ExecutionRow& row);

/// Cancels a locked execution at once, or asks its worker to stop. The state that it came to, if it has closed.
std::optional<domain::State> cancel_execution(Batch& batch, const ExecutionRow& row, bool by_force);

/// What has closed so far in queues that keep nothing. Tasks of runs go with their run.
std::vector<TenantAndId> closed_to_forget(Batch& batch);
/// Removes what has closed in queues that keep nothing, in a transaction of its own: identities are locked first. Says
/// what was removed; of the tasks of runs, those that `leave`.
std::vector<domain::Execution> forget_closed(Batch& batch, std::span<const TenantAndId> ids,
                                             const std::set<TenantAndId>& leave);

/// A locked identity: who holds it, and until when that has been promised to stay so.
struct LockedIdentity {
  domain::ExecutionId holder;
  std::optional<Time> promised_until;

  bool is_promised(Time now) const { return promised_until && *promised_until > now; }
};
using LockedIdentities = std::map<TenantAndHash, LockedIdentity>;

/// Who holds an identity: an execution's row, or a tombstone's.
struct FoundHolder {
  std::optional<ExecutionRow> row{};
  std::optional<TombstoneRow> tombstone{};

  domain::Holder holder() const { return row ? domain::holder_of(row->execution) : tombstone->holder; }
  Held held(bool by_id) &&;
};

/// The holders of those identities that are held, at one moment.
std::map<TenantAndHash, FoundHolder> find_holders(Connection& connection, std::span<const TenantAndHash> identities);
/// Who has the ids; only those that may not be used. Tombstones of others may still lie there.
std::map<TenantAndId, FoundHolder> find_by_client_ids(Connection& connection, std::span<const TenantAndId> ids,
                                                      Time now);
/// Locks the rows of identities that are held, in the order that everybody keeps, and says who holds them.
LockedIdentities lock_identities(Connection& connection, std::span<const TenantAndHash> identities);

/// What would change a holding that is promised, answers this. No more promises are made of the locked identity for a
/// while.
Outcome postpone(Batch& batch, const TenantAndHash& identity, Time until);

/// Claims an identity that nobody holds. False when somebody does by now.
bool claim_identity(Batch& batch, const TenantAndHash& identity, domain::ExecutionId id);
/// Another execution takes the locked identity: a tombstone's claim on it ends.
void hand_over(Batch& batch, const TenantAndHash& identity, const FoundHolder& holder, domain::ExecutionId to);

/// When the submission's task runs, and its deadline.
Time run_at_of(const Submit& command, Time now);
std::optional<Time> deadline_of(const Submit& command, Time now);
Change created_change(const NewRow& row);

/// So that two do not do the same at once; held until the transaction ends.
void lock_name(Batch& batch, std::string_view name);
/// Adds to the audit log.
void write_audit(Batch& batch, std::string_view tenant, std::string_view actor, std::string_view action,
                 std::string_view subject);
/// Before the commit.
void flush_audit(Batch& batch);

}  // namespace semel::store::postgres
