#pragma once
#include <string_view>

#include "base/bytes.hpp"

namespace semel {

/// RFC 2104 with SHA-256, by OpenSSL.
Hash32 hmac_sha256(std::string_view key, std::string_view message);

/// Whether two texts are the same, in a time that says only how long they are.
bool is_same_secret(std::string_view left, std::string_view right);

}  // namespace semel
