#include "domain/workflow/code/workflow.hpp"
#include "domain/workflow/step_id.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

tl::unexpected<Error> held_by_another(domain::ExecutionId id) {
  return refuse(ErrorCode::identity_held,
                "another task holds the identity of task {} now; a retry would make two of them", id.text());
}

}  // namespace

void Engine::retry(const domain::Principal& principal, domain::ExecutionId id, const RetryRequest& request,
                   Answer<Result<domain::State>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_create); !allowed) {
    return answer(pass_on(allowed.error()));
  }
  const std::optional<domain::Execution> execution = store_.find(principal.tenant, id);
  if (!execution) return answer(no_such_task(id));
  const domain::ExecutionSpec& spec = execution->spec;
  if (const char* refusal = domain::code::refusal_of_retry(spec))
    return answer(refuse(ErrorCode::not_retryable, "{}: {}", id.text(), refusal));
  const bool is_run = spec.kind == domain::Kind::workflow;
  if (!is_run && !request.steps.empty())
    return answer(bad_request("steps are of runs; task {} is none, and is tried again as a whole", id.text()));
  if (Result<void> kept = check_why(principal, id, request.why); !kept) return answer(pass_on(kept.error()));
  if (!is_run && !spec.step) return retry_task(principal, id, std::move(answer));
  RetrySteps command{principal.tenant, is_run ? id : spec.step->run, request.steps, principal.key_id, request.why};
  if (!is_run) command.steps = {domain::step_of(spec.step->task_key)};
  retry_steps(std::move(command), id, std::move(answer));
}

void Engine::retry_task(const domain::Principal& principal, domain::ExecutionId id,
                        Answer<Result<domain::State>> answer) {
  commit<ReopenAnswer>(Reopen{principal.tenant, id, principal.key_id},
                       [id, answer = std::move(answer)](const Result<ReopenAnswer>& reopened) {
                         if (!reopened) return answer(pass_on(reopened.error()));
                         switch (reopened->kind) {
                           case ReopenAnswer::Kind::not_found: return answer(no_such_task(id));
                           case ReopenAnswer::Kind::not_retryable:
                             return answer(refuse(ErrorCode::not_retryable,
                                                  "task {} is {}; only failed, cancelled and timed out tasks can be "
                                                  "tried again",
                                                  id.text(), domain::name_of(*reopened->state)));
                           case ReopenAnswer::Kind::identity_held: return answer(held_by_another(id));
                           case ReopenAnswer::Kind::reopened: break;
                         }
                         answer(*reopened->state);
                       });
}

void Engine::retry_steps(RetrySteps command, domain::ExecutionId asked, Answer<Result<domain::State>> answer) {
  const std::string tenant = command.tenant;
  const domain::ExecutionId run = command.run;
  commit<RunAnswer>(std::move(command),
                    [this, tenant, run, asked, answer = std::move(answer)](const Result<RunAnswer>& retried) {
                      if (!retried) return answer(pass_on(retried.error()));
                      switch (retried->kind) {
                        case RunAnswer::Kind::not_found: return answer(no_such_task(run));
                        case RunAnswer::Kind::refused:
                          return answer(refuse(ErrorCode::not_retryable, "run {} is {}: {}", run.text(),
                                               domain::name_of(*retried->state), retried->refusal));
                        case RunAnswer::Kind::identity_held: return answer(held_by_another(run));
                        case RunAnswer::Kind::done: break;
                      }
                      if (asked == run) return answer(*retried->state);
                      const Looked task = look_again(tenant, asked);
                      answer(task && *task ? (*task)->state : domain::State::pending);
                    });
}

}  // namespace semel::engine
