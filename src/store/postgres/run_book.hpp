#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/common/run_rows.hpp"
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

/// A task that has come to its end: its run is to be told, and those that are attached to it.
struct ClosedTask {
  TenantAndId id;
  std::optional<domain::StepOf> step{};
  domain::State state = domain::State::completed;
  bool awaited = false;
};

/// A task of a run, to be made.
struct NewTask {
  domain::ExecutionSpec spec{};
  bool held = false;
};

/// What a transaction has to do about runs. It is done by settle_runs(), all of a kind together.
struct RunBook {
  std::map<TenantAndId, HeldRun> held{};
  std::vector<ClosedTask> closed{};
  std::vector<TenantAndId> begun{};  // runs that wait for their tasks from now on
  std::vector<NewTask> made{};
  std::vector<TenantAndId> released{};
  std::vector<TenantAndId> reopened{};
  std::vector<std::pair<TenantAndId, bool>> cancelled{};  // and whether by force
  std::map<TenantAndHash, std::string> documents{};       // of plans that new runs have
  std::map<TenantAndId, domain::ExecutionId> tasks{};     // that a change was told of, and their runs
  std::set<TenantAndId>
      leaving{};  // tasks that closed with their run, where that is not kept: for whoever waits for them
};

}  // namespace semel::store::postgres
