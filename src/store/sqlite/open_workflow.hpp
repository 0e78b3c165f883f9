#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/common/workflow_rows.hpp"
#include "store/sqlite/batch.hpp"

/// What happens to code workflows: decided by the domain, carried out here (ADR 0018).
namespace semel::store::sqlite {

/// A code workflow in the open transaction, as decisions about it see it. Whoever has carried out one calls save().
class OpenWorkflow final : public WorkflowRows {
 public:
  /// Nothing is loaded when there is no such workflow. `attempt`: what activation() is to say.
  OpenWorkflow(Batch& batch, std::int64_t tenant_id, const std::string& tenant, domain::ExecutionId id,
               std::optional<domain::AttemptId> attempt = std::nullopt);

  bool exists() const { return seq_ != 0; }
  void carry_out(const domain::code::Decision& decision);
  void save();

  void child_closed(const ClosedTask& child);
  /// A child that was attached to another goes on: with what that came to, or by itself.
  void resume(ExecutionRow& child);
  void cancel_requested();
  void add_event(const domain::HistoryEvent& event);
  /// The activation was answered: its attempt goes.
  void answered(domain::AttemptId attempt, const std::optional<std::string>& status);
  /// The activation has ended without an answer.
  void activation_failed(const domain::Ending& ending, std::optional<std::string_view> error);

  domain::QueueSettings settings(const std::string& queue) const override {
    return batch_.queues.settings(tenant_id_, queue);
  }
  bool has_timer(std::int64_t command) const override;
  std::int64_t abandoned_children() const override;
  std::optional<domain::HistoryEvent> recorded(std::int64_t command) const override;
  std::optional<std::string> input_of(domain::ExecutionId child) const override;
  std::vector<std::string> signals_after(std::int64_t sequence) const override;

  void record(std::int64_t sequence, const domain::HistoryEvent& event) override;
  void make(const domain::code::NewChild& child) override;
  void start_timer(const domain::code::NewTimer& timer) override;
  void stop_timer(std::int64_t command) override;
  void stop_timers() override;
  void cancel(domain::ExecutionId child) override;
  void cancel_children() override;
  void stop_activation() override;
  void set_input(const std::string& input) override;
  void go_on(domain::code::Next next, Time run_at) override;
  void end(const domain::RunEnd& end) override;

  /// What became of the activation; nothing when it is none of this workflow, or is gone since it was answered.
  std::optional<domain::AttemptOutcome> activation() const { return activation_; }
  const std::optional<domain::AttemptId>& last_activation() const { return last_activation_; }

  domain::code::Workflow loaded;
  bool by_force = false;  // whether children are cancelled so

 private:
  void write_state(Phase phase);

  Batch& batch_;
  const std::int64_t tenant_id_;
  std::int64_t seq_ = 0;
  domain::Execution execution_;  // as far as changes and decisions look at it
  std::optional<domain::AttemptOutcome> activation_{};
  std::optional<domain::AttemptId> last_activation_{};
  std::optional<std::string> status_{};  // that is new
  std::optional<Time> started_{};        // the soonest timer that is being started
  bool sets_error_ = false;              // an activation has ended, with execution_.error
  mutable std::optional<std::unordered_map<std::int64_t, domain::HistoryEvent>> recorded_{};  // once it is asked for
};

/// Makes what belongs to a code workflow whose execution has just been inserted.
void insert_workflow(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec, Time run_at,
                     bool abandon);
/// Nothing new is begun, and what is open below is cancelled. The state it comes to.
domain::State cancel_workflow(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& spec,
                              const domain::CancelRequest& request);
/// Removes what belongs to a code workflow beside its execution and what it has begun.
void remove_workflow(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id);
/// Fires timers whose time has come, the earliest first. How many.
std::int64_t fire_timers(Batch& batch, std::int64_t max);

/// What the worker of an activation gets.
Activation read_activation(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id);

/// Whether the execution is a code workflow: no run of steps has such a handler.
bool is_code(const domain::ExecutionSpec& spec);

}  // namespace semel::store::sqlite
