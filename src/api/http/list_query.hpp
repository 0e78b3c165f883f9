#pragma once
#include <string_view>
#include <vector>

#include "api/http/transport/message.hpp"
#include "base/result.hpp"
#include "ports/list.hpp"

namespace semel::http {

/// The filters of GET /v1/tasks. `others` are parameters that somebody else reads.
Result<ListQuery> list_query_from(const Request& request, const std::vector<std::string_view>& others = {});

}  // namespace semel::http
