#pragma once
#include "engine/limits.hpp"
#include "ports/list.hpp"

namespace semel::engine {

/// One request looks at so many contexts or names at most, and for so long; the cursor it is given leads on from there.
inline void bound_search(ListQuery& query, Time now) {
  if (query.search) {
    query.search->contexts_max = limits::searched_contexts_max;
    query.search->until = now + limits::search_max;
  }
  if (query.named) {
    query.named->executions_max = limits::searched_names_max;
    query.named->until = now + limits::search_max;
  }
}

}  // namespace semel::engine
