#pragma once
#include <set>
#include <span>
#include <string>

#include "store/postgres/batch.hpp"

/// What happens to runs: decided by the domain, carried out here (ADR 0010). Whoever closes a task says so by
/// has_closed(), and settle_runs() tells its run, and whoever is attached to it, in the same transaction.
namespace semel::store::postgres {

/// Locks those of the runs that the transaction does not hold yet, in their order, and reads them.
void hold_runs(Batch& batch, std::span<const TenantAndId> ids);
/// Null when there is no such run.
HeldRun* hold_run(Batch& batch, const TenantAndId& id);
/// The queues that tasks of these runs may enter, and that are to be locked before the runs are held: of those that
/// have a concurrency_key.
std::set<TenantAndQueue> queues_of(Batch& batch, std::span<const TenantAndId> runs);
/// The runs and workflows of tasks that are attached to one of these.
Owners owners_attached_to(Batch& batch, std::span<const TenantAndId> holders);
/// All locks that come before the execution's own: its queue, its run, and the runs of those attached to it.
void lock_before(Batch& batch, const ExecutionRow& seen);
Plans::Shared graph_of(Connection& connection, Plans& plans, const std::string& tenant, const Hash32& plan);
/// The graphs of runs by themselves, without a lock.
std::map<TenantAndId, Plans::Shared> graphs_of(Batch& batch, const std::set<TenantAndId>& runs);
/// Writes what was changed of runs that are held.
void write_runs(Batch& batch);

/// The execution has come to its end, and said so. Of a step of a run, only the state is needed.
void has_closed(Batch& batch, const ExecutionRow& row, domain::TaskOutcome outcome);
/// Does all that is noted, of all runs, by kind. What closes by that is told by settle_runs().
void do_what_is_noted(Batch& batch);
/// Tells the runs of tasks that have closed, and the tasks that are attached to them, until all is told; and writes it.
void settle_runs(Batch& batch);
/// Whether the order in which tasks of the run are made and released says who gets what.
bool is_keyed(const LoadedRun& run);
/// Carries out what was decided about a held run. What it needs of tasks is left for settle_runs().
void carry_out(Batch& batch, HeldRun& run, const domain::Decision& decision, bool by_force = false);
/// What decisions about a held run may look at.
std::unique_ptr<RunRows> rows_of(Batch& batch, HeldRun& run, bool by_force = false);
/// Whether the run goes when it ends.
bool keeps_nothing(Batch& batch, const HeldRun& run);

/// Makes what belongs to a run whose execution has just been inserted, and begins it where its time has come.
void add_run(Batch& batch, const Submit& command, bool begins);
/// The run waits for its tasks from now on, and that has been told.
void start_run(Batch& batch, const TenantAndId& id);
/// What is locked before executions of runs that are to be cancelled.
void lock_before_cancelling(Batch& batch, std::span<const TenantAndId> runs);
/// Nothing new is started, and the run's tasks are cancelled. Its execution is locked.
void cancel_run(Batch& batch, const ExecutionRow& row, domain::WhyCancelled why, const Cancel& how);
RunAnswer retry_run(Batch& batch, const RetrySteps& command);

// ---- Tasks of runs.

/// Also what code workflows begin.
void insert_tasks(Batch& batch, std::span<const NewRow> rows);
void make_tasks(Batch& batch);
void release_tasks(Batch& batch);
void reopen_tasks(Batch& batch);
void cancel_tasks(Batch& batch);
/// Those that are attached to a task that has closed get its result, or go on without it.
void tell_attached(Batch& batch, const TenantAndId& closed);
/// A task that is not worked on enters its queue, or waits for whoever holds its key: its row says so then. What it
/// came to, when that is known at once.
std::optional<domain::TaskOutcome> enter_task(
    Batch& batch, ExecutionRow& row, domain::code::KeyConflict on_conflict = domain::code::KeyConflict::attach);
/// Closes a task that nobody works on.
void close_task(Batch& batch, ExecutionRow& row, const domain::TaskOutcome& outcome);
/// The task waits for nobody any more.
void detach(Batch& batch, const domain::ExecutionSpec& task);
/// Adds to the history of its run or workflow.
void add_history(Batch& batch, const domain::ExecutionSpec& task, const domain::HistoryEvent& event);

/// What became of a task that has asked for its key.
struct KeyAnswered {
  domain::KeyAnswer answer = domain::KeyAnswer::claim;
  std::optional<domain::ExecutionId> previous{};  // who had the key that it has claimed
  std::optional<domain::ExecutionId> holder{};    // who has the key without which it is made
  std::optional<domain::TaskOutcome> outcome{};   // what it came to, when that is known at once
};
KeyAnswered ask_for_key(Batch& batch, const ExecutionRow& task, domain::code::KeyConflict on_conflict);

/// Adds to leases of steps of runs what their handlers get.
void add_inputs(Batch& batch, std::span<Claimed> claimed);

}  // namespace semel::store::postgres
