#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ports/dedup_cache.hpp"

namespace semel::store {

/// What is known of an identity, and until when. Of the execution only what the answer to a duplicate shows.
struct CacheEntry {
  DedupCache::Identity identity;
  Time until;  // by the store's clock
  Held held;
};

/// Whether what the store said is of a kind that is kept: the holder has completed, is there with its result, and is
/// not longer than `bytes_max`.
bool is_kept(const Held& held, std::size_t bytes_max);
/// An entry of that. Its end is not known yet.
CacheEntry entry_of(const DedupCache::Identity& identity, const Held& held);

/// Entries as bytes, signed with the secret of the store: what others have written, garbage, another version, another
/// store's, tenant's or identity's is nothing. (A true entry that is too old still reads as what it is.) Callable from
/// any thread.
///
/// The bytes: "semel dedup 1", the fields in the order of entry.cpp, and HMAC-SHA-256 over all of it. A number is eight
/// bytes, the highest last; a text its length and itself; what may be absent has a byte 0 or 1 before it.
class EntryCodec {
 public:
  explicit EntryCodec(std::string secret);

  /// Under which it is kept: another for each store.
  std::string key_of(const Hash32& hash) const;
  std::string encode(const CacheEntry& entry) const;
  std::optional<CacheEntry> decode(const DedupCache::Identity& identity, std::string_view bytes) const;

 private:
  Hash32 sign(std::string_view bytes) const;

  const std::string secret_;
  const std::string prefix_;
};

}  // namespace semel::store
