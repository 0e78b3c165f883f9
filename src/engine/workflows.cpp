#include "domain/workflow/code/names.hpp"
#include "engine/engine.hpp"

/// Workflows that are written as code, and promises.
namespace semel::engine {
namespace {

tl::unexpected<Error> no_promise(const std::variant<domain::ExecutionId, std::string>& promise) {
  if (const auto* id = std::get_if<domain::ExecutionId>(&promise))
    return refuse(ErrorCode::not_found, "there is no promise {}", id->text());
  return refuse(ErrorCode::not_found, "there is no promise with the key '{}'", std::get<std::string>(promise));
}

Result<bool> answer_of(domain::ExecutionId id, const SignalAnswer& signalled) {
  switch (signalled.kind) {
    case SignalAnswer::Kind::not_found: return no_such_workflow(id);
    case SignalAnswer::Kind::closed:
      return refuse(ErrorCode::failed_precondition, "workflow {} is {}: nobody would hear the signal", id.text(),
                    domain::name_of(*signalled.state));
    case SignalAnswer::Kind::received: return true;
    case SignalAnswer::Kind::already_received: break;
  }
  return false;
}

}  // namespace

tl::unexpected<Error> no_such_workflow(domain::ExecutionId id) {
  return refuse(ErrorCode::not_found, "there is no workflow {}", id.text());
}

Result<WorkflowView> Engine::workflow(const domain::Principal& principal, domain::ExecutionId id) {
  std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  if (!execution || !domain::may_read(principal, execution->spec.created_by)) return no_such_workflow(id);
  std::optional<StoredWorkflow> workflow = store_.workflow(principal.tenant, id);
  if (!workflow) return no_such_workflow(id);
  hide_previous(principal, *execution);
  return WorkflowView{*std::move(execution), *std::move(workflow)};
}

void Engine::signal(const domain::Principal& principal, domain::ExecutionId id, SignalRequest request,
                    Answer<Result<bool>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_create); !allowed)
    return answer(pass_on(allowed.error()));
  commit<SignalAnswer>(SignalWorkflow{principal.tenant, id, std::move(request.signal), std::move(request.key)},
                       [id, answer = std::move(answer)](Result<SignalAnswer> signalled) {
                         if (!signalled) return answer(pass_on(signalled.error()));
                         answer(answer_of(id, *signalled));
                       });
}

Result<domain::Execution> Engine::promise(const domain::Principal& principal, domain::ExecutionId id) {
  std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  const bool is_theirs = execution && domain::may_read(principal, execution->spec.created_by);
  if (!is_theirs || execution->spec.kind != domain::Kind::promise) return no_promise(id);
  hide_previous(principal, *execution);
  return *std::move(execution);
}

void Engine::settle(const domain::Principal& principal, SettleRequest request, Answer<Result<SettleAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_create); !allowed)
    return answer(pass_on(allowed.error()));
  const auto promise = request.promise;
  commit<SettleAnswer>(
      SettlePromise{principal.tenant, std::move(request.promise), request.resolves, std::move(request.value)},
      [promise, answer = std::move(answer)](Result<SettleAnswer> settled) {
        if (!settled) return answer(pass_on(settled.error()));
        if (settled->kind == SettleAnswer::Kind::not_found) return answer(no_promise(promise));
        answer(std::move(settled));
      });
}

}  // namespace semel::engine
