#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace semel {

/// RFC 4648 section 4, with padding: for HTTP headers and JSON of others.
std::string to_base64(std::string_view bytes);
/// RFC 4648 section 5, without padding: for tokens.
std::string to_base64url(std::string_view bytes);

/// Read strictly, so that no bytes have two texts: the right alphabet, padding (or none, for url), no leftover bits.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace semel
