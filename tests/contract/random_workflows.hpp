#pragma once
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "domain/workflow/code/names.hpp"
#include "domain/workflow/code/workflow.hpp"
#include "tests/support/builders.hpp"

namespace semel::test {

/// Random commands about code workflows and promises, over a small world: few kinds, keys and queues, so that they
/// meet. The same seed, the same commands, as long as the outcomes that it learns from are the same.
class RandomWorkflows {
 public:
  explicit RandomWorkflows(std::uint32_t seed) : random_(seed), ids_(seed) {}

  Command command() {
    switch (weighted({10, 4, 4, 26, 16, 12, 34, 4, 7, 10, 6, 4, 4, 6, 6, 3, 2, 2, 4})) {
      case 0: return workflow();
      case 1: return rival();
      case 2: return promise();
      case 3: return claim_activations();
      case 4: return claim_tasks();
      case 5: return Complete{tenant_, attempt(), result()};
      case 6: return answer();
      case 7: return sent_.empty() ? Command(ExpireLeases{}) : Command(recent(sent_));
      case 8: return Fail{tenant_, attempt(), R"({"type":"X"})", chance(70), std::nullopt};
      case 9: return SignalWorkflow{tenant_, a_workflow(), {name(), value()}, signal_key()};
      case 10: return settle();
      case 11: return Cancel{tenant_, chance(60) ? a_workflow() : execution(), chance(20), "admin", "because"};
      case 12: return Reopen{tenant_, execution(), "admin"};
      case 13: return ExpireLeases{};
      case 14: return PromoteDue{chance(80) ? 1000 : 1};
      case 15: return Remove{tenant_, chance(60) ? a_workflow() : execution()};
      case 16: return Sweep{1000};
      case 17: return GiveBack{tenant_, {attempt()}};
      default: return PutQueue{tenant_, queue(), options(), "admin"};
    }
  }

  Duration step_of_time() { return one_of({0ms, 0ms, 0ms, 1ms, 5s, 10s, 1h}); }
  bool chance(int percent) { return number(1, 100) <= percent; }

  void learn(const Command& command, const Outcome& outcome) {
    if (const auto* end = std::get_if<EndActivation>(&command)) sent_.push_back(*end);
    const auto* claimed = std::get_if<Claimed>(&outcome);
    if (claimed == nullptr) return;
    for (const Lease& lease : claimed->leases) {
      attempts_.push_back(lease.attempt_id);
      if (lease.activation) activations_.push_back(lease);
    }
  }
  void learn(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (!change.is_new) continue;
      executions_.push_back(change.id);
      if (change.kind == domain::Kind::workflow) workflows_.push_back(change.id);
      if (change.kind == domain::Kind::promise) promises_.push_back(change.id);
    }
  }

  const std::vector<domain::ExecutionId>& executions() const { return executions_; }
  const std::vector<domain::ExecutionId>& workflows() const { return workflows_; }
  std::vector<Hash32> hashes() const {
    std::vector<Hash32> hashes;
    for (const std::string_view key : {"k-1", "k-2", "w-1", "w-2"})
      hashes.push_back(domain::code::hash_of_key(tenant_, key));
    return hashes;
  }
  const std::string& tenant() const { return tenant_; }

 private:
  /// With the key, as a workflow would ask for it.
  SubmitBuilder with_key(SubmitBuilder made, const std::string& key) {
    made.identity(domain::Mode::key, domain::code::hash_of_key(tenant_, key));
    made.window(after_closing(one_of({0ms, 10s, 36h}))).with([&](Submit& each) {
      each.spec.key = key;
      each.spec.fingerprint = sha256(each.spec.context);
    });
    return made;
  }

  Submit workflow() {
    SubmitBuilder made = submission(ids_);
    made.queue(queue()).handler("workflow:" + kind()).with([](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
    });
    if (chance(15)) made.delay(5s);
    if (chance(15)) made.deadline_after(one_of({5s, 1h}));
    return chance(40) ? with_key(made, workflow_id()) : made;
  }
  Submit rival() {
    SubmitBuilder made = submission(ids_);
    made.queue(queue()).handler(chance(85) ? "h" : "other");
    return with_key(made, key());
  }
  Submit promise() {
    SubmitBuilder made = submission(ids_);
    made.queue(queue()).handler(domain::code::promise_handler).with([](Submit& each) {
      each.spec.kind = domain::Kind::promise;
    });
    if (chance(40)) made.deadline_after(one_of({5s, 1h}));
    return chance(80) ? with_key(made, key()) : made;
  }

  Claim claim_tasks() {
    Claim made = claim_of(ids_, static_cast<std::size_t>(number(1, 4)), chance(50) ? 5s : 1h);
    made.queues = {"q1", "q2"};
    return made;
  }
  Claim claim_activations() {
    Claim made = claim_tasks();
    made.handlers = {"workflow:a", "workflow:b"};
    return made;
  }

  EndActivation answer() {
    if (activations_.empty()) return {tenant_, a_workflow(), attempt(), {}};
    const Lease& lease = recent(activations_);
    EndActivation end{tenant_, lease.execution.spec.id, lease.attempt_id, {}};
    end.answer.seen = chance(95) ? lease.activation->history_length : lease.activation->seen;
    std::int64_t last = lease.activation->last_command;
    if (chance(5)) last += number(-2, 1);
    for (int i = number(0, 3); i > 0; --i) end.answer.commands.push_back({++last, something(last)});
    if (chance(20)) end.answer.status = value();
    if (chance(20)) end.answer.conclusion = conclusion();
    return end;
  }
  decltype(domain::code::Command::what) something(std::int64_t number_of_command) {
    switch (weighted({40, 15, 12, 15, 6, 12})) {
      case 0: return task_command();
      case 1: return domain::code::StartTimer{std::nullopt, one_of({0ms, 5s, 1h})};
      case 2: return child_command();
      case 3: return promise_command();
      case 4: return domain::code::RecordMarker{name(), value()};
      default: return domain::code::CancelEarlier{std::max<std::int64_t>(1, number_of_command - number(1, 3))};
    }
  }
  domain::code::ScheduleTask task_command() {
    domain::code::ScheduleTask task;
    task.handler = chance(85) ? "h" : "other";
    if (chance(50)) task.queue = queue();
    if (chance(40)) task.key = key();
    task.on_conflict = conflict();
    if (chance(15)) task.delay = 5s;
    if (chance(10)) task.deadline_after = 5s;
    if (chance(15)) task.concurrency_key = "c";
    task.retry.max_attempts = number(1, 2);
    task.retry.base = 5s;
    return task;
  }
  domain::code::StartChild child_command() {
    domain::code::StartChild child;
    child.kind = kind();
    if (chance(50)) child.workflow_id = workflow_id();
    child.on_conflict = chance(60) ? domain::code::KeyConflict::fail : domain::code::KeyConflict::warn_and_create;
    child.abandon = chance(30);
    if (chance(15)) child.deadline_after = 5s;
    return child;
  }
  domain::code::CreatePromise promise_command() {
    domain::code::CreatePromise promise;
    if (chance(70)) promise.key = key();
    promise.on_conflict = conflict();
    if (chance(30)) promise.timeout = one_of({5s, 1h});
    return promise;
  }
  domain::code::Conclusion conclusion() {
    switch (number(0, 2)) {
      case 0: return domain::code::Complete{result()};
      case 1: return domain::code::Fail{R"({"type":"F"})"};
      default: return domain::code::ContinueAsNew{value(), {{name(), value()}}};
    }
  }

  SettlePromise settle() {
    SettlePromise made{tenant_, key(), chance(60), value()};
    if (!promises_.empty() && chance(70)) made.promise = recent(promises_);
    return made;
  }
  domain::QueueOptions options() {
    domain::QueueOptions options;
    if (chance(30)) options.max_running_per_key = number(1, 3);
    if (chance(30)) options.max_running = number(1, 3);
    if (chance(60)) options.retention = one_of({0ms, 0ms, 10s, 1h});
    return options;
  }

  domain::code::KeyConflict conflict() { return static_cast<domain::code::KeyConflict>(number(0, 2)); }
  std::optional<std::string> result() { return chance(15) ? std::nullopt : std::optional(value()); }
  std::string value() { return std::to_string(number(0, 9)); }
  std::string name() { return chance(50) ? "x" : "y"; }
  std::optional<std::string> signal_key() {
    if (chance(50)) return std::nullopt;
    return chance(50) ? "s-1" : "s-2";
  }
  std::string key() { return chance(60) ? "k-1" : "k-2"; }
  std::string workflow_id() { return chance(60) ? "w-1" : "w-2"; }
  std::string kind() { return chance(60) ? "a" : "b"; }
  std::string queue() { return chance(70) ? "q1" : "q2"; }

  domain::AttemptId attempt() { return attempts_.empty() ? ids_.attempt() : recent(attempts_); }
  domain::ExecutionId execution() { return executions_.empty() ? ids_.execution() : recent(executions_); }
  domain::ExecutionId a_workflow() { return workflows_.empty() ? ids_.execution() : recent(workflows_); }

  template <typename T>
  const T& recent(const std::vector<T>& values) {
    const int size = static_cast<int>(values.size());
    const int first = chance(80) ? std::max(0, size - 6) : 0;
    return values[static_cast<std::size_t>(number(first, size - 1))];
  }
  Duration one_of(const std::vector<Duration>& values) {
    return values[static_cast<std::size_t>(number(0, static_cast<int>(values.size()) - 1))];
  }
  std::size_t weighted(const std::vector<int>& weights) {
    return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
  }
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  const std::string tenant_{default_tenant};
  std::mt19937 random_;
  Ids ids_;
  std::vector<domain::ExecutionId> executions_;
  std::vector<domain::ExecutionId> workflows_;
  std::vector<domain::ExecutionId> promises_;
  std::vector<domain::AttemptId> attempts_;
  std::vector<Lease> activations_;
  std::vector<EndActivation> sent_;
};

}  // namespace semel::test
