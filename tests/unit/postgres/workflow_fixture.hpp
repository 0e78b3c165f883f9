#pragma once
#include <string>
#include <utility>
#include <vector>

#include "domain/workflow/code/names.hpp"
#include "domain/workflow/code/workflow.hpp"
#include "tests/unit/postgres/run_fixture.hpp"

namespace semel::test {

namespace code = domain::code;

/// Code workflows on stores that share a database. The contract suite says what becomes of them; here is what is
/// special where several servers work on one.
class PostgresWorkflows : public PostgresRuns {
 protected:
  Submit workflow_of(std::string_view kind) {
    SubmitBuilder submit = task();
    submit.handler(code::handler_of_workflow(kind)).with([](Submit& each) { each.spec.kind = domain::Kind::workflow; });
    return submit;
  }
  domain::ExecutionId begin(Store& store, std::string_view kind = "order") {
    return as<Created>(apply(store, workflow_of(kind))).id;
  }

  /// Up to `count` activations of the kind.
  std::vector<Lease> activate(Store& store, std::size_t count, std::string_view kind = "order",
                              Duration lease = domain::default_lease) {
    Claim claim = claim_of(ids_, count, lease);
    claim.handlers = {code::handler_of_workflow(kind)};
    return as<Claimed>(apply(store, claim)).leases;
  }
  /// The one that is ready.
  Lease activate(Store& store, std::string_view kind = "order") {
    std::vector<Lease> leases = activate(store, 2, kind);
    EXPECT_EQ(leases.size(), 1u) << kind << " is not ready";
    return leases.empty() ? Lease{} : std::move(leases[0]);
  }

  using What = decltype(code::Command::what);
  static What a_task(std::string handler) {
    code::ScheduleTask task;
    task.handler = std::move(handler);
    task.retry.max_attempts = 1;
    return task;
  }
  static What a_child(std::string kind) {
    code::StartChild child;
    child.kind = std::move(kind);
    return child;
  }
  static EndActivation answer_to(const Lease& lease, std::vector<What> said,
                                 std::optional<code::Conclusion> conclusion = std::nullopt) {
    const Activation& activation = lease.activation.value();
    EndActivation end{tenant(), lease.execution.spec.id, lease.attempt_id, {}};
    end.answer.seen = activation.events.empty() ? activation.seen : activation.events.back().sequence;
    std::int64_t number = activation.last_command;
    for (What& what : said) end.answer.commands.push_back({++number, std::move(what)});
    end.answer.conclusion = std::move(conclusion);
    return end;
  }

  domain::State state_of(Store& store, domain::ExecutionId id) { return store.find(default_tenant, id).value().state; }
  std::int64_t count_in_history(Store& store, domain::ExecutionId id, domain::HistoryKind kind) {
    std::int64_t found = 0;
    for (const HistoryEntry& entry : store.history(default_tenant, id, 0, 10'000)) found += entry.event.kind == kind;
    return found;
  }
  /// Workflows that wait although something has happened that they have not seen.
  std::int64_t forgotten() {
    return count(
        "workflows w JOIN executions e USING (tenant, id) WHERE e.state = 2 AND w.phase = 0 AND EXISTS (SELECT FROM "
        "history h WHERE h.tenant = w.tenant AND h.run = w.id AND h.sequence > w.seen AND h.kind IN (2, 3, 4, 5, 22, "
        "26))");
  }
};

}  // namespace semel::test
