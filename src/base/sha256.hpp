#pragma once
#include <string_view>

#include "base/bytes.hpp"

struct evp_md_ctx_st;

namespace semel {

/// SHA-256 by OpenSSL. One object hashes many messages, one after the other; not for two threads at once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Sha256& update(std::string_view bytes);
  /// The digest of all bytes since the last finish(); the object is then ready for the next message.
  Hash32 finish();

 private:
  evp_md_ctx_st* context_;
};

Hash32 sha256(std::string_view bytes);

}  // namespace semel
