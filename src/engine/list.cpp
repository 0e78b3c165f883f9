#include "engine/engine.hpp"
#include "engine/search.hpp"

namespace semel::engine {

Result<Page> Engine::list(const domain::Principal& principal, ListQuery query) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  query.tenant = principal.tenant;
  bound_search(query, store_.now());
  return store_.list(query);
}

std::vector<domain::Attempt> Engine::running_attempts(const domain::Principal& principal, const Page& page) {
  std::vector<domain::ExecutionId> running;
  for (const domain::Execution& execution : page.executions)
    if (execution.state == domain::State::running) running.push_back(execution.spec.id);
  if (running.empty()) return {};
  return store_.running_attempts(principal.tenant, running);
}

}  // namespace semel::engine
