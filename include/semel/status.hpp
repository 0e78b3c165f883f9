#pragma once
#include <cstdint>
#include <string_view>

namespace semel {

/// Of a task, a workflow or a promise. The first three are open, the others closed.
enum class Status : std::uint8_t { pending, running, suspended, completed, failed, cancelled, timed_out };

constexpr bool is_closed(Status status) { return status >= Status::completed; }

/// As the server writes it: "timed_out".
std::string_view name_of(Status status);

}  // namespace semel
