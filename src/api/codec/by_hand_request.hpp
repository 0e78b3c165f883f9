#pragma once
#include <string_view>

#include "base/result.hpp"
#include "engine/engine.hpp"

/// What people ask for, as the bodies of requests.
namespace semel::codec {

/// {"force"?, "why"?}
Result<engine::Engine::CancelRequest> decode_cancel(std::string_view body);
/// {"steps"?, "why"?}
Result<engine::Engine::RetryRequest> decode_retry(std::string_view body);
/// {"result", "why"?}; the step stands in the path.
Result<engine::Engine::ResolveRequest> decode_resolve(std::string_view body);

}  // namespace semel::codec
