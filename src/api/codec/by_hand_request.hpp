#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "engine/engine.hpp"

/// What people ask for, as the bodies of requests.
namespace semel::codec {

// What every interface refuses of these, in the same words.
Result<void> check_why(std::string_view why);
Result<void> check_step_names(const std::vector<std::string>& names);

/// {"force"?, "why"?}
Result<engine::Engine::CancelRequest> decode_cancel(std::string_view body);
/// {"steps"?, "why"?}
Result<engine::Engine::RetryRequest> decode_retry(std::string_view body);
/// {"result", "why"?}; the step stands in the path.
Result<engine::Engine::ResolveRequest> decode_resolve(std::string_view body);

}  // namespace semel::codec
