#pragma once
#include <string_view>

#include "base/result.hpp"
#include "engine/engine.hpp"

namespace semel::codec {

/// The body of POST /v1/keys.
Result<engine::Engine::KeyRequest> decode_key_request(std::string_view body);

}  // namespace semel::codec
