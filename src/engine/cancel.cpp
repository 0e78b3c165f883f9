#include "engine/engine.hpp"

namespace semel::engine {

void Engine::cancel(const domain::Principal& principal, domain::ExecutionId id, bool force,
                    Answer<Result<CancelAnswer>> answer) {
  if (Result<void> allowed = require(principal, force ? domain::Permission::admin : domain::Permission::tasks_cancel);
      !allowed) {
    return answer(pass_on(allowed.error()));
  }
  commit<CancelAnswer>(Cancel{principal.tenant, id, force, principal.key_id},
                       [id, answer = std::move(answer)](Result<CancelAnswer> cancelled) {
                         if (!cancelled) return answer(std::move(cancelled));
                         switch (cancelled->kind) {
                           case CancelAnswer::Kind::not_found:
                             return answer(refuse(ErrorCode::not_found, "there is no task {}", id.text()));
                           case CancelAnswer::Kind::already_closed:
                             return answer(refuse(ErrorCode::not_cancellable, "task {} is {} already", id.text(),
                                                  domain::name_of(*cancelled->state)));
                           case CancelAnswer::Kind::cancelled:
                           case CancelAnswer::Kind::requested: break;
                         }
                         answer(std::move(cancelled));
                       });
}

}  // namespace semel::engine
