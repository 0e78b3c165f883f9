#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/common/run_rows.hpp"
#include "store/common/workflow_rows.hpp"
#include "store/postgres/execution_row.hpp"

namespace semel::store::postgres {

/// A run that the transaction has locked: read once, changed in memory, and written once by settle_runs().
struct HeldRun {
  LoadedRun loaded{};  // of the spec, what tasks and changes are made of; its context is read when it is asked for
  domain::State state = domain::State::suspended;  // as it was seen; right where the run itself is locked too
  Hash32 plan{};
  std::uint64_t context_bytes = 0;
  std::int64_t history_length = 0;  // that is written
  bool is_keyed = false;            // it has a concurrency_key, or a step has a key: then the order of its tasks counts
  bool is_new = false;              // its row is still to be made
  bool is_changed = false;
  std::vector<domain::HistoryEvent> history{};                  // to be written
  std::map<std::size_t, domain::StepOutcome> outcomes{};        // by step, that were kept by this transaction
  std::set<std::size_t> unwritten{};                            // of those
  std::optional<std::string> context{};                         // once it was asked for
  std::map<std::size_t, std::optional<std::string>> results{};  // of tasks of steps, read together when the run ends
  std::optional<domain::RunEnd> end{};                          // to be written
};

/// A code workflow that the transaction has locked, likewise: decided about in memory, and written once.
struct HeldWorkflow {
  domain::code::Workflow loaded{};
  domain::Execution execution{};  // as far as changes and decisions look at it; its state is that of `loaded`
  domain::State seen = domain::State::pending;  // the state that its row has
  Phase phase = Phase::neither;                 // to be written with a new state
  std::uint64_t context_bytes = 0;
  bool abandon = false;
  std::optional<domain::AttemptId> last_activation{};
  std::optional<std::string> status{};

  bool is_new = false;      // its row is still to be made
  bool is_changed = false;  // its facts are
  bool is_moved = false;    // its state is, or its place in the queue
  bool sets_error = false;  // and its error
  bool is_asked = false;    // its execution is to be cancelled
  bool is_stopped = false;  // its running attempt has ended, by force
  bool stops_timers = false;
  std::vector<std::pair<std::int64_t, domain::HistoryEvent>> history{};  // to be written, with their numbers
  std::map<std::int64_t, Time> started{};                                // timers, by command
  std::set<std::int64_t> stopped{};                                      // too
  std::vector<domain::AttemptId> answered{};                             // attempts that go
  std::optional<std::string> input{};

  bool is_closed() const { return domain::is_closed(loaded.state); }
};

/// Whose tasks they are: runs of steps, and code workflows.
struct Owners {
  std::set<TenantAndId> runs{};
  std::set<TenantAndId> workflows{};

  void add(const std::string& tenant, const domain::StepOf& step);
};

/// A task that has come to its end: its run is to be told, and those that are attached to it.
struct ClosedTask {
  TenantAndId id;
  std::optional<domain::StepOf> step{};
  domain::TaskOutcome outcome{};  // of a step of a run, only the state
  bool awaited = false;
};

/// A task of a run, or what a code workflow begins: to be made.
struct NewTask {
  domain::ExecutionSpec spec{};
  bool held = false;
  Time run_at{};
  std::optional<Time> deadline{};
  domain::code::KeyConflict on_conflict = domain::code::KeyConflict::attach;
  bool abandon = false;
};

/// What a transaction has to do about runs. It is done by settle_runs(), all of a kind together.
struct RunBook {
  std::map<TenantAndId, HeldRun> held{};
  std::map<TenantAndId, HeldWorkflow> workflows{};
  std::vector<ClosedTask> closed{};
  std::vector<TenantAndId> begun{};  // runs that wait for their tasks from now on
  std::vector<NewTask> made{};
  std::vector<TenantAndId> released{};
  std::vector<TenantAndId> reopened{};
  std::vector<std::pair<TenantAndId, bool>> cancelled{};  // and whether by force
  std::vector<std::pair<TenantAndId, bool>> dropped{};    // code workflows: all that is open below them is cancelled
  std::map<TenantAndHash, std::string> documents{};       // of plans that new runs have
  std::map<TenantAndId, domain::ExecutionId> tasks{};     // that a change was told of, and their runs
  std::set<TenantAndId>
      leaving{};  // tasks that closed with their run, where that is not kept: for whoever waits for them
};

}  // namespace semel::store::postgres
