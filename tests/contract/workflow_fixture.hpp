#pragma once
#include <string>
#include <utility>
#include <vector>

#include "domain/workflow/code/names.hpp"
#include "domain/workflow/code/workflow.hpp"
#include "tests/contract/store_contract.hpp"

namespace semel::test {

namespace code = domain::code;
using domain::ExecutionId;
using domain::HistoryKind;

/// What the code of a workflow says in one activation: `Say().task("charge").timer(5s)`. Commands are numbered when it
/// is known what was said before.
class Say {
 public:
  Say& task(std::string handler) {
    code::ScheduleTask task;
    task.handler = std::move(handler);
    task.retry.max_attempts = 1;
    return command(std::move(task));
  }
  Say& task_with_key(std::string handler, std::string key, code::KeyConflict on_conflict = code::KeyConflict::attach,
                     std::string context = "{}") {
    task(std::move(handler));
    auto& task = std::get<code::ScheduleTask>(commands.back().what);
    task.key = std::move(key);
    task.on_conflict = on_conflict;
    task.context = std::move(context);
    return *this;
  }
  Say& timer(Duration after) { return command(code::StartTimer{std::nullopt, after}); }
  Say& promise(std::optional<std::string> key = std::nullopt, std::optional<Duration> timeout = std::nullopt,
               code::KeyConflict on_conflict = code::KeyConflict::fail) {
    return command(code::CreatePromise{std::move(key), std::nullopt, on_conflict, timeout});
  }
  Say& child(std::string kind, std::optional<std::string> workflow_id = std::nullopt, bool abandon = false) {
    code::StartChild child;
    child.kind = std::move(kind);
    child.workflow_id = std::move(workflow_id);
    child.abandon = abandon;
    return command(std::move(child));
  }
  Say& marker(std::string name, std::string value) {
    return command(code::RecordMarker{std::move(name), std::move(value)});
  }
  Say& cancel(std::int64_t target) { return command(code::CancelEarlier{target}); }
  Say& command(decltype(code::Command::what) what) {
    commands.push_back({0, std::move(what)});
    return *this;
  }

  Say& status(std::string json) { return status_ = std::move(json), *this; }
  Say& complete(std::optional<std::string> result = std::nullopt) {
    return conclusion_ = code::Complete{std::move(result)}, *this;
  }
  Say& fail(std::string error = R"({"type":"BAD","message":"no"})") {
    return conclusion_ = code::Fail{std::move(error)}, *this;
  }
  Say& continue_as_new(std::string input, std::vector<code::Signal> signals = {}) {
    return conclusion_ = code::ContinueAsNew{std::move(input), std::move(signals)}, *this;
  }

  code::Answer after(std::int64_t last_command, std::int64_t seen) const {
    code::Answer answer{seen, commands, status_, conclusion_};
    for (code::Command& command : answer.commands) command.number = ++last_command;
    return answer;
  }

  std::vector<code::Command> commands{};

 private:
  std::optional<std::string> status_{};
  std::optional<code::Conclusion> conclusion_{};
};

/// Workflows that are written as code (ADR 0018).
class WorkflowContract : public StoreContract {
 protected:
  using StoreContract::StoreContract;

  SubmitBuilder workflow_of(std::string_view kind = "order", std::string input = "{}") {
    SubmitBuilder submit = task();
    submit.handler(code::handler_of_workflow(kind)).context(std::move(input)).with([](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
    });
    return submit;
  }
  ExecutionId start(std::string_view kind = "order", std::string input = "{}") {
    return create(workflow_of(kind, std::move(input))).id;
  }
  /// With a `workflow_id`.
  SubmitBuilder with_id(SubmitBuilder submit, std::string_view workflow_id) {
    submit.identity(domain::Mode::key, code::hash_of_key(default_tenant, workflow_id)).with([&](Submit& each) {
      each.spec.key = workflow_id;
      each.spec.fingerprint = sha256(each.spec.context);
    });
    return submit;
  }

  /// Leases up to `count` activations of the kind.
  std::vector<Lease> activate(std::string_view kind, std::size_t count, Duration lease = domain::default_lease) {
    Claim claim = claim_of(ids_, count, lease);
    claim.handlers = {code::handler_of_workflow(kind)};
    return as<Claimed>(apply(claim)).leases;
  }
  /// Leases the one activation that is ready.
  Lease activate(std::string_view kind = "order") {
    std::vector<Lease> leases = activate(kind, 2);
    EXPECT_EQ(leases.size(), 1u) << kind << " is not ready";
    if (leases.empty()) return {};
    EXPECT_TRUE(leases[0].activation.has_value());
    if (!leases[0].activation) leases[0].activation.emplace();
    return std::move(leases[0]);
  }
  bool is_ready(std::string_view kind = "order") {
    std::vector<Lease> leases = activate(kind, 1);
    std::vector<domain::AttemptId> given;
    for (const Lease& lease : leases) given.push_back(lease.attempt_id);
    if (!given.empty()) apply(GiveBack{std::string(default_tenant), given});
    return !given.empty();
  }

  static std::int64_t seen_by(const Lease& lease) {
    const Activation& activation = *lease.activation;
    return activation.events.empty() ? activation.seen : activation.events.back().sequence;
  }
  EndActivation answer_to(const Lease& lease, const Say& say) {
    return {std::string(default_tenant), lease.execution.spec.id, lease.attempt_id,
            say.after(lease.activation->last_command, seen_by(lease))};
  }
  AttemptAnswer answer(const Lease& lease, const Say& say) { return as<AttemptAnswer>(apply(answer_to(lease, say))); }
  Error refusal_of(const EndActivation& end) { return as<Rejected>(apply(end)).error; }
  /// Activates the workflow of the kind that is ready, and answers.
  AttemptAnswer run(const Say& say, std::string_view kind = "order") { return answer(activate(kind), say); }

  /// What a command has made.
  static ExecutionId made_by(ExecutionId workflow, std::int64_t command) { return code::child_id(workflow, command); }
  domain::Execution child_of(ExecutionId workflow, std::int64_t command) {
    const std::optional<domain::Execution> found = find(made_by(workflow, command));
    EXPECT_TRUE(found.has_value()) << command;
    return found.value_or(domain::Execution{});
  }
  StoredWorkflow read(ExecutionId workflow) {
    const std::optional<StoredWorkflow> found = store().workflow(default_tenant, workflow);
    EXPECT_TRUE(found.has_value());
    return found.value_or(StoredWorkflow{});
  }

  /// Leases the task of the handler: of several that were scheduled at once, chance decides which comes first.
  domain::AttemptId lease(std::string handler, Duration lease = domain::default_lease) {
    Claim claim = claim_of(ids_, 1, lease);
    claim.handlers = {std::move(handler)};
    const std::vector<Lease> leases = as<Claimed>(apply(claim)).leases;
    EXPECT_EQ(leases.size(), 1u);
    return leases.empty() ? domain::AttemptId{} : leases[0].attempt_id;
  }
  /// Leases the one task that is ready, and completes it.
  AttemptAnswer work(std::optional<std::string> result = std::nullopt) {
    return complete(claim_one(), std::move(result));
  }

  SignalAnswer::Kind signal(ExecutionId id, std::string name, std::string value = "null",
                            std::optional<std::string> key = std::nullopt) {
    SignalWorkflow command{std::string(default_tenant), id, {std::move(name), std::move(value)}, std::move(key)};
    return as<SignalAnswer>(apply(command)).kind;
  }
  SettleAnswer settle(std::variant<ExecutionId, std::string> promise, bool resolves = true,
                      std::string value = "true") {
    return as<SettleAnswer>(
        apply(SettlePromise{std::string(default_tenant), std::move(promise), resolves, std::move(value)}));
  }
  CancelAnswer cancel_by(ExecutionId id, bool force = false) {
    return as<CancelAnswer>(apply(Cancel{std::string(default_tenant), id, force, "boss", "enough"}));
  }

  /// "run_started, task_scheduled charge#1, …"
  std::string history(ExecutionId workflow, std::int64_t after = 0, std::size_t limit = 1'000) {
    std::string text;
    for (const HistoryEntry& entry : store().history(default_tenant, workflow, after, limit)) {
      if (!text.empty()) text += ", ";
      text += domain::name_of(entry.event.kind);
      if (!entry.event.task_key.empty()) text += " " + entry.event.task_key;
    }
    return text;
  }
  /// The detail of the last event of the kind.
  std::string detail(ExecutionId workflow, HistoryKind kind) {
    std::string text = "there is none";
    for (const HistoryEntry& entry : store().history(default_tenant, workflow, 0, 1'000)) {
      if (entry.event.kind == kind) text = entry.event.detail;
    }
    return text;
  }
  static std::string names_of(const Activation& activation) {
    std::string text;
    for (const HistoryEntry& entry : activation.events)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", domain::name_of(entry.event.kind));
    return text;
  }
  std::optional<Change> change_to(ExecutionId id) {
    for (const Change& change : changes_) {
      if (change.id == id) return change;
    }
    return std::nullopt;
  }
};

}  // namespace semel::test
