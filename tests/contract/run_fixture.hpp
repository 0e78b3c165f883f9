#pragma once
#include <map>
#include <string>
#include <vector>

#include "domain/workflow/step_task.hpp"
#include "tests/contract/store_contract.hpp"
#include "tests/support/steps.hpp"

namespace semel::test {

using Builder = StepBuilder;
using domain::ExecutionId;
using domain::HistoryKind;

/// Runs of templates with steps (ADR 0010).
class RunContract : public StoreContract {
 protected:
  using StoreContract::StoreContract;

  /// A submission of a run. The steps try once, unless they say otherwise.
  SubmitBuilder run_of(std::vector<domain::Step> steps, std::string context = "{}") {
    for (domain::Step& step : steps) {
      if (!step.retry.max_attempts) step.retry.max_attempts = 1;
    }
    SubmitBuilder submit = task();
    submit.handler("order").context(std::move(context)).with([&](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
      each.plan = domain::plan_of_run(steps);
    });
    return submit;
  }
  ExecutionId start(std::vector<domain::Step> steps, std::string context = "{}") {
    return create(run_of(std::move(steps), std::move(context))).id;
  }

  static ExecutionId task_in(ExecutionId run, std::string_view task_key) {
    return domain::step_execution_id(run, task_key);
  }
  domain::Execution task_of(ExecutionId run, std::string_view task_key) {
    const std::optional<domain::Execution> found = find(task_in(run, task_key));
    EXPECT_TRUE(found.has_value()) << task_key;
    return found.value_or(domain::Execution{});
  }
  StoredRun read_run(ExecutionId run) {
    const std::optional<StoredRun> found = store().run(default_tenant, run);
    EXPECT_TRUE(found.has_value());
    return found.value_or(StoredRun{});
  }

  /// "a=completed b=waiting", in the order of the template.
  std::string states(ExecutionId run) {
    const StoredRun found = read_run(run);
    std::string text;
    for (std::size_t i = 0; i < found.facts.steps.size(); ++i) {
      const domain::StepState state = found.facts.steps[i].state;
      const std::string_view reason = domain::reason_of(state);
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", found.graph->step(i).name, domain::shown_state(state));
      if (!reason.empty()) text += fmt::format("({})", reason);
    }
    return text;
  }

  /// Leases whatever is ready, and keeps it by its task_key. The keys, in their order.
  std::vector<std::string> lease_all(std::size_t max = 2'000) {
    std::vector<std::string> keys;
    for (Lease& each : claim(max)) {
      const auto& step = each.execution.spec.step;
      keys.push_back(step ? step->task_key : each.execution.spec.handler);
      leases_.insert_or_assign(keys.back(), std::move(each));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  const Lease& lease_of(const std::string& task_key) {
    const auto found = leases_.find(task_key);
    EXPECT_NE(found, leases_.end()) << task_key << " is not leased";
    static const Lease nothing{};
    return found == leases_.end() ? nothing : found->second;
  }
  /// Completes a leased task.
  AttemptAnswer finish(const std::string& task_key, std::optional<std::string> result = std::nullopt) {
    return complete(lease_of(task_key).attempt_id, std::move(result));
  }
  /// Fails a leased task for good.
  AttemptAnswer give_up(const std::string& task_key) { return fail(lease_of(task_key).attempt_id); }

  /// Leases what is ready, and completes it with the result "of <task_key>", until nothing is ready.
  void work_off() {
    for (std::vector<std::string> keys = lease_all(); !keys.empty(); keys = lease_all()) {
      for (const std::string& key : keys) finish(key, fmt::format(R"("of {}")", key));
    }
  }

  RunAnswer retry_steps(ExecutionId run, std::vector<std::string> steps = {}) {
    return as<RunAnswer>(apply(RetrySteps{std::string(default_tenant), run, std::move(steps), "boss", "mended"}));
  }
  RunAnswer resolve(ExecutionId run, std::string step, std::string result) {
    return as<RunAnswer>(
        apply(ResolveStep{std::string(default_tenant), run, std::move(step), std::move(result), "boss", "by phone"}));
  }
  CancelAnswer cancel_by(ExecutionId id, bool force = false) {
    return as<CancelAnswer>(apply(Cancel{std::string(default_tenant), id, force, "boss", "enough"}));
  }
  ReopenAnswer reopen_task(ExecutionId id) {
    return as<ReopenAnswer>(apply(Reopen{std::string(default_tenant), id, "boss"}));
  }

  /// "run_started, task_scheduled a, …"
  std::string history(ExecutionId run, std::int64_t after = 0, std::size_t limit = 1'000) {
    std::string text;
    for (const HistoryEntry& entry : store().history(default_tenant, run, after, limit)) {
      if (!text.empty()) text += ", ";
      text += domain::name_of(entry.event.kind);
      if (!entry.event.task_key.empty()) text += " " + entry.event.task_key;
    }
    return text;
  }
  std::optional<HistoryEntry> entry_of(ExecutionId run, HistoryKind kind) {
    for (const HistoryEntry& entry : store().history(default_tenant, run, 0, 1'000)) {
      if (entry.event.kind == kind) return entry;
    }
    return std::nullopt;
  }
  std::optional<Change> change_to(ExecutionId id) {
    for (const Change& change : changes_) {
      if (change.id == id) return change;
    }
    return std::nullopt;
  }

  std::map<std::string, Lease> leases_;
};

}  // namespace semel::test
