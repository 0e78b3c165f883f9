#include "domain/api_key.hpp"

#include <fmt/format.h>

#include "base/sha256.hpp"

namespace semel::domain {

KeySecret make_key_secret(const std::array<std::uint64_t, 4>& random) {
  KeySecret secret;
  secret.id = fmt::format("{:012x}", random[0] & 0xFFFF'FFFF'FFFF);
  secret.text = fmt::format("semel_{}_{:016x}{:016x}{:016x}", secret.id, random[1], random[2], random[3]);
  secret.hash = hash_of_secret(secret.text);
  return secret;
}

Hash32 hash_of_secret(std::string_view text) { return sha256(text); }

}  // namespace semel::domain
