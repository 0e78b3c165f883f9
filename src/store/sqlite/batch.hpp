#pragma once
#include <cstdint>
#include <string>

#include "ports/change.hpp"
#include "ports/command.hpp"
#include "ports/store.hpp"
#include "store/common/plans.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/execution_row.hpp"
#include "store/sqlite/identity_index.hpp"
#include "store/sqlite/queues.hpp"
#include "store/sqlite/tenants.hpp"
#include "store/sqlite/tombstone_row.hpp"
#include "store/sqlite/usages.hpp"

namespace semel::store::sqlite {

/// An execution that has closed, and for which a run, a code workflow or attached tasks wait.
struct ClosedTask {
  std::string tenant;
  std::int64_t tenant_id = 0;
  domain::ExecutionId id;
  std::optional<domain::StepOf> step{};
  domain::State state = domain::State::completed;
  bool awaited = false;
  domain::TaskOutcome outcome{};  // only of what a code workflow has begun
};

/// What an attempt, or whoever else ended an execution, left behind.
struct Outputs {
  std::optional<std::string_view> result = std::nullopt;
  std::optional<std::string_view> error = std::nullopt;
};

/// What the commands of one batch work with. The write transaction begins with the first change: a batch that only
/// meets duplicates or empty queues never opens one. Reading before it is exact, because nobody else writes.
struct Batch {
  Connection& connection;
  IdentityIndex& identities;
  Tenants& tenants;
  Usages& usages;
  Time now;
  std::int64_t& last_seq;
  Queues& queues;
  std::vector<Change>& changes;
  std::vector<Ready>& ready;
  std::vector<domain::Execution>& gone;
  Plans& plans;
  std::vector<ClosedTask> closed{};  // that somebody has still to be told of (settle_runs())

  /// Must be called before every change.
  void begin_writing() {
    if (!connection.in_transaction()) connection.use("BEGIN IMMEDIATE")->run();
  }
};

/// One function for each command, each in the file of its name.
Outcome apply(Batch& batch, const Submit& command);
Outcome apply(Batch& batch, const Claim& command);
Outcome apply(Batch& batch, const Complete& command);
Outcome apply(Batch& batch, const Fail& command);
Outcome apply(Batch& batch, const EndActivation& command);
Outcome apply(Batch& batch, const SignalWorkflow& command);
Outcome apply(Batch& batch, const SettlePromise& command);
Outcome apply(Batch& batch, const Heartbeat& command);
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

/// Notes that an execution came to a state. What is special about that may be added.
inline Change& tell(Batch& batch, const domain::Execution& execution, domain::State state) {
  batch.changes.push_back(change_of(execution.spec, state));
  batch.changes.back().attempt = execution.attempt;
  return batch.changes.back();
}

/// Closes an execution that nobody works on, because its deadline has passed. A run is cancelled.
void time_out(Batch& batch, const ExecutionRow& row);

/// Cancels an open execution at once, or asks its worker to stop. Whether it is closed.
bool cancel_row(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row, bool force);

/// The execution has come to its end, and that was told: whoever waits for it will learn it.
void has_closed(Batch& batch, std::int64_t tenant_id, const domain::Execution& execution, domain::State state,
                bool awaited, const Outputs& outputs = {});
/// Tells the runs of tasks that have closed, and the tasks that are attached to them, until all is told.
void settle_runs(Batch& batch);

/// Writes an execution that reopen_execution() has opened again. `superseded`: another holds its identity.
void write_reopened(Batch& batch, const ExecutionRow& row, Phase phase, bool superseded = false);
/// An execution gets its identity, if it has one, that is not a new one; the row is as it was before.
void reclaim(Batch& batch, std::int64_t tenant_id, const ExecutionRow& row);

/// Removes what has closed in queues that keep nothing; `first` is the first change to look at.
void forget_closed(Batch& batch, std::size_t first);

/// Who holds an identity: an execution's row, or a tombstone's.
struct FoundHolder {
  std::optional<ExecutionRow> row;
  std::optional<TombstoneRow> tombstone;

  domain::Holder holder() const { return row ? domain::holder_of(row->execution) : tombstone->holder; }
  Held held(bool by_id) &&;
};

/// `seq` is what the index says. Nothing when the identity is free.
std::optional<FoundHolder> load_holder(Connection& connection, const std::string& tenant, const IdentityKey& key,
                                       std::int64_t seq);
struct ClientId {
  std::optional<FoundHolder> taken_by{};  // nothing when it may be used
  bool has_old_tombstone = false;         // that holds it no longer, and still lies there
};
ClientId find_client_id(Connection& connection, const std::string& tenant, std::int64_t tenant_id,
                        domain::ExecutionId id, Time now);

/// Who else holds the identity of the execution, if it has one.
std::optional<FoundHolder> other_holder(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec);

/// Another execution takes the identity: the old holder keeps its history, but no longer its identity.
void hand_over(Batch& batch, std::int64_t tenant_id, const FoundHolder& holder);

// Reads that the store's read side shares.
std::vector<domain::Attempt> read_attempts(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id);
DuplicateTally read_duplicates(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id);

}  // namespace semel::store::sqlite
