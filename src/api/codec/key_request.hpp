#pragma once
#include <string_view>

#include "base/result.hpp"
#include "engine/engine.hpp"

namespace semel::codec {

/// The body of POST /v1/keys.
Result<engine::Engine::KeyRequest> decode_key_request(std::string_view body);

/// The same member by member; the last looks at all of it.
Result<void> set_key_tenant(engine::Engine::KeyRequest& request, std::string tenant);
Result<void> set_key_name(engine::Engine::KeyRequest& request, std::string name);
Result<void> add_key_permission(engine::Engine::KeyRequest& request, std::string_view name);
Result<void> set_key_expiry(engine::Engine::KeyRequest& request, Duration expires_in);
Result<void> check_key_request(const engine::Engine::KeyRequest& request);

}  // namespace semel::codec
