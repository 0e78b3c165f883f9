#pragma once
#include <string_view>

#include "base/result.hpp"
#include "domain/queue.hpp"

namespace semel::codec {

/// The body of PUT /v1/queues/{name}.
Result<domain::QueueOptions> decode_queue(std::string_view body);

}  // namespace semel::codec
