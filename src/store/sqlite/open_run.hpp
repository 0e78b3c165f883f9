#pragma once
#include <optional>
#include <string>

#include "store/common/run_rows.hpp"
#include "store/sqlite/batch.hpp"
#include "store/sqlite/child_entry.hpp"

/// What happens to runs: decided by the domain, carried out here (ADR 0010).
namespace semel::store::sqlite {

/// A run in the open transaction, as decisions about it see it. Whoever has carried out one calls save().
class OpenRun final : public RunRows {
 public:
  /// Nothing is loaded when there is no such run.
  OpenRun(Batch& batch, std::int64_t tenant_id, std::string_view tenant, domain::ExecutionId id);

  bool exists() const { return loaded.graph != nullptr; }
  /// Its time has come: its execution is suspended from now on.
  void suspend();
  void start() { carry_out(start_run(*loaded.graph, loaded.facts, *this)); }
  void task_closed(const ClosedTask& task);
  void carry_out(const domain::Decision& decision) { store::carry_out(decision, loaded, *this); }
  void save();

  /// A task that was attached to another goes on by itself.
  void resume(ExecutionRow& task) { resume_child(batch_, tenant_id_, task, recorder()); }

  std::string context() const override;
  std::optional<std::string> result_of(std::size_t step) const override;
  std::vector<domain::TaskOutcome> items_of(std::size_t step) const override;
  void record(const domain::HistoryEvent& event) override;
  void keep(const domain::StepOutcome& outcome) override;
  void make(const domain::ExecutionSpec& task, bool held) override;
  void release(domain::ExecutionId task) override;
  void reopen(domain::ExecutionId task) override;
  void cancel(domain::ExecutionId task) override;
  void end(const domain::RunEnd& end) override;
  domain::QueueSettings settings(const std::string& queue) override {
    return batch_.queues.settings(tenant_id_, queue);
  }

  LoadedRun loaded;
  bool by_force = false;  // whether tasks are cancelled so

 private:
  AddEvent recorder();
  ExecutionRow task_row(domain::ExecutionId task) const;

  Batch& batch_;
  const std::int64_t tenant_id_;
  domain::Execution execution_;  // of the run, as far as changes and decisions look at it
  std::int64_t seq_ = 0;
  std::int64_t history_length_ = 0;
};

/// Makes what belongs to a run whose execution has just been inserted.
void insert_run(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id, const domain::RunPlan& plan);
/// Nothing new is started, and the run's tasks are cancelled.
void cancel_run(Batch& batch, std::int64_t tenant_id, const ExecutionRow& run, domain::WhyCancelled why,
                const Cancel& how);
RunAnswer retry_run(Batch& batch, const RetrySteps& command);
/// Removes what belongs to a run beside its execution and its tasks.
void remove_run(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id);

/// The graph of a plan that is stored.
Plans::Shared load_plan(Connection& connection, Plans& plans, std::int64_t tenant_id, const Hash32& hash);

/// Reads what handlers of tasks of runs get. Tasks of one step that are leased together are read for once.
class StepInputs {
 public:
  explicit StepInputs(Batch& batch) : batch_(batch) {}
  domain::StepInput of(std::int64_t tenant_id, const domain::ExecutionSpec& task);

 private:
  Batch& batch_;
  std::optional<domain::ExecutionId> run_{};
  std::string step_{};
  domain::StepInput last_{};
};

}  // namespace semel::store::sqlite
