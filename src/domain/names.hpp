#pragma once
#include <string_view>

#include "base/result.hpp"

namespace semel::domain {

namespace limits {
inline constexpr std::size_t name_chars_max = 100;
inline constexpr std::size_t key_bytes_max = 255;
inline constexpr std::size_t labels_max = 16;
inline constexpr std::size_t label_bytes_max = 255;
inline constexpr std::size_t context_bytes_max = 1 << 20;
}  // namespace limits

/// Names of tenants, namespaces, templates, queues and handlers: [A-Za-z0-9_.-]{1,100}.
/// `what` begins the message: "queue must be …".
Result<void> check_name(std::string_view what, std::string_view name);

/// Idempotency keys: 1–255 bytes of valid UTF-8 without control characters (C0, DEL, C1).
Result<void> check_key(std::string_view what, std::string_view key);

}  // namespace semel::domain
