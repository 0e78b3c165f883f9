#include "base/sha256.hpp"

#include <openssl/evp.h>

#include "base/ensure.hpp"

namespace semel {
namespace {

// Fetched once: looking an algorithm up by name costs more than hashing a small message.
const EVP_MD* algorithm() {
  static const EVP_MD* const md = EVP_sha256();
  return md;
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  ensure(context_ != nullptr);
  ensure(EVP_DigestInit_ex(context_, algorithm(), nullptr) == 1);
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

Sha256& Sha256::update(std::string_view bytes) {
  ensure(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1);
  return *this;
}

Hash32 Sha256::finish() {
  Hash32 digest{};
  ensure(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
  ensure(EVP_DigestInit_ex(context_, nullptr, nullptr) == 1);
  return digest;
}

Hash32 sha256(std::string_view bytes) {
  thread_local Sha256 hasher;
  return hasher.update(bytes).finish();
}

}  // namespace semel
