#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/time.hpp"

namespace semel::domain {

/// An API key as it is stored: its secret is not, only the digest. A secret has 192 random bits, so a plain digest
/// cannot be guessed backwards.
struct ApiKey {
  std::string id;  // public: what `created_by` and the audit log name
  std::string tenant;
  std::string name;              // what its owner calls it; may be empty
  std::uint8_t permissions = 0;  // bits of Permission
  Hash32 secret_hash{};
  Time created_at{};
  std::string created_by;
  std::optional<Time> expires_at{};
  std::optional<Time> revoked_at{};

  bool is_valid(Time now) const { return !revoked_at && (!expires_at || now < *expires_at); }
  bool operator==(const ApiKey&) const = default;
};

/// A new secret: shown once, then only its hash is known.
struct KeySecret {
  std::string id;
  std::string text;  // "semel_" id "_" secret
  Hash32 hash{};
};

/// From random bits.
KeySecret make_key_secret(const std::array<std::uint64_t, 4>& random);

/// What a secret that somebody shows is looked up by.
Hash32 hash_of_secret(std::string_view text);

}  // namespace semel::domain
