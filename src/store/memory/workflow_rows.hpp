#pragma once
#include <optional>
#include <string>
#include <vector>

#include "store/common/workflow_rows.hpp"
#include "store/memory/tables.hpp"

namespace semel::store::memory {

/// A code workflow of the tables, as decisions about it see it.
class CodeRows final : public WorkflowRows {
 public:
  CodeRows(Tables& tables, const Record& workflow, Time now);

  /// Carries out what was decided about `loaded`.
  void carry_out(const domain::code::Decision& decision);

  domain::QueueSettings settings(const std::string& queue) const override;
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

  domain::code::Workflow loaded;
  bool by_force = false;  // whether children are cancelled so

 private:
  Tables& tables_;
  const TenantAndId id_;
  Record& record_;
  WorkflowRecord& kept_;
  const Time now_;
  std::optional<Time> started_{};  // the soonest timer that is being started
};

}  // namespace semel::store::memory
