#pragma once
#include <optional>

#include "api/http/transport/head.hpp"
#include "api/http/transport/message.hpp"
#include "api/http/transport/origin_policy.hpp"
#include "api/http/transport/refusal.hpp"
#include "base/result.hpp"

namespace semel::http {

/// Why a head that Beast found well-formed is refused all the same, if so: framing that a proxy in front
/// could read otherwise (request smuggling), a missing Host, a foreign origin.
std::optional<Refusal> check_head(const Head& head, const OriginPolicy& origins);

/// The request of a head that passed the check, without its body; refused when the target cannot be decoded.
Result<Request> to_request(Head&& head);

}  // namespace semel::http
