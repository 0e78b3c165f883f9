#include "engine/engine.hpp"

namespace semel::engine {

void Engine::retry(const domain::Principal& principal, domain::ExecutionId id, Answer<Result<ReopenAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_create); !allowed) {
    return answer(pass_on(allowed.error()));
  }
  commit<ReopenAnswer>(Reopen{principal.tenant, id, principal.key_id},
                       [id, answer = std::move(answer)](Result<ReopenAnswer> reopened) {
                         if (!reopened) return answer(std::move(reopened));
                         switch (reopened->kind) {
                           case ReopenAnswer::Kind::not_found:
                             return answer(refuse(ErrorCode::not_found, "there is no task {}", id.text()));
                           case ReopenAnswer::Kind::not_retryable:
                             return answer(refuse(ErrorCode::not_retryable,
                                                  "task {} is {}; only failed, cancelled and timed out tasks can be "
                                                  "tried again",
                                                  id.text(), domain::name_of(*reopened->state)));
                           case ReopenAnswer::Kind::identity_held:
                             return answer(refuse(ErrorCode::identity_held,
                                                  "another task holds the identity of task {} now; a retry would make "
                                                  "two of them",
                                                  id.text()));
                           case ReopenAnswer::Kind::reopened: break;
                         }
                         answer(std::move(reopened));
                       });
}

}  // namespace semel::engine
