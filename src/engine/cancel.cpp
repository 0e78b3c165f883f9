#include "engine/engine.hpp"

namespace semel::engine {

void Engine::cancel(const domain::Principal& principal, domain::ExecutionId id, const CancelRequest& request,
                    Answer<Result<CancelAnswer>> answer) {
  if (Result<void> allowed =
          require(principal, request.force ? domain::Permission::admin : domain::Permission::tasks_cancel);
      !allowed) {
    return answer(pass_on(allowed.error()));
  }
  if (request.of_code && !store_.workflow(principal.tenant, id)) return answer(no_such_workflow(id));
  if (Result<void> kept = check_why(principal, id, request.why); !kept) return answer(pass_on(kept.error()));
  const char* const what = request.of_code ? "workflow" : "task";
  commit<CancelAnswer>(Cancel{principal.tenant, id, request.force, principal.key_id, request.why},
                       [id, what, answer = std::move(answer)](Result<CancelAnswer> cancelled) {
                         if (!cancelled) return answer(std::move(cancelled));
                         switch (cancelled->kind) {
                           case CancelAnswer::Kind::not_found: return answer(no_such_task(id));
                           case CancelAnswer::Kind::already_closed:
                             return answer(refuse(ErrorCode::not_cancellable, "{} {} is {} already", what, id.text(),
                                                  domain::name_of(*cancelled->state)));
                           case CancelAnswer::Kind::cancelled:
                           case CancelAnswer::Kind::requested: break;
                         }
                         answer(std::move(cancelled));
                       });
}

}  // namespace semel::engine
