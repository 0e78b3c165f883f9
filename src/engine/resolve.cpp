#include "engine/engine.hpp"

namespace semel::engine {

void Engine::resolve(const domain::Principal& principal, domain::ExecutionId id, const ResolveRequest& request,
                     Answer<Result<domain::State>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed) {
    return answer(pass_on(allowed.error()));
  }
  const std::optional<StoredRun> found = store_.run(principal.tenant, id);
  if (!found) return answer(refuse(ErrorCode::not_found, "there is no run {}", id.text()));
  if (!found->graph->find(request.step))
    return answer(refuse(ErrorCode::not_found, "run {} has no step '{}'", id.text(), request.step));
  commit<RunAnswer>(ResolveStep{principal.tenant, id, request.step, request.result, principal.key_id, request.why},
                    [id, answer = std::move(answer)](const Result<RunAnswer>& resolved) {
                      if (!resolved) return answer(pass_on(resolved.error()));
                      switch (resolved->kind) {
                        case RunAnswer::Kind::not_found: return answer(no_such_task(id));
                        case RunAnswer::Kind::refused:
                        case RunAnswer::Kind::identity_held:  // only a run that is tried again asks for it
                          return answer(refuse(ErrorCode::not_resolvable, "{}", resolved->refusal));
                        case RunAnswer::Kind::done: break;
                      }
                      answer(*resolved->state);
                    });
}

}  // namespace semel::engine
