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

}  // namespace semel::engine
