#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http/transport/message.hpp"
#include "base/time.hpp"
#include "fuzz/api_world.hpp"

namespace semel::fuzz {

/// An input is some steps, one after the other, with a line `%%` between them. Most are requests:
///
///     POST /v1/tasks/{id}/cancel $pending?no=1
///     Idempotency-Key: k
///
///     {"force": true}
///
/// The first line names a route of the table and what stands for its {…}, then its query. A line that names none
/// chooses one all the same, by its hash: so every route is reached, also one that is new. `=GET /healthz` is any other
/// target. `AFTER 5000` lets so many milliseconds pass.
std::vector<std::string_view> steps_in(std::string_view input);

/// The time that a step lets pass, if it is one that does.
std::optional<Duration> pause_in(std::string_view step);

/// What the transport makes of the request; nothing, when it refuses it.
std::optional<http::Request> request_in(std::string_view step, const Names& names);

}  // namespace semel::fuzz
