#include "engine/engine.hpp"

namespace semel::engine {

Result<Page> Engine::list(const domain::Principal& principal, ListQuery query) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  query.tenant = principal.tenant;
  return store_.list(query);
}

}  // namespace semel::engine
