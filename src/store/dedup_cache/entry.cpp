#include "store/dedup_cache/entry.hpp"

#include <fmt/format.h>

#include "base/sha256.hpp"

namespace semel::store {
namespace {

constexpr std::string_view version = "semel dedup 1";
constexpr std::size_t signature_bytes = 32;
constexpr std::size_t block_bytes = 64;  // of SHA-256

class FieldWriter {
 public:
  void operator()(std::int64_t number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8) bytes.push_back(static_cast<char>(bits & 0xff));
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<std::int64_t>(text.size()));
    bytes += text;
  }
  void operator()(Time time) { (*this)(to_ms(time)); }
  void operator()(Duration duration) { (*this)(std::int64_t{duration.count()}); }
  void operator()(const Hash32& hash) { bytes += as_text(hash); }
  void operator()(const Uuid& uuid) {
    bytes.append(reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size());
  }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    bytes.push_back(value ? 1 : 0);
    if (value) (*this)(*value);
  }
  template <typename T>
    requires std::is_enum_v<T>
  void operator()(T value) {
    (*this)(static_cast<std::int64_t>(value));
  }

  std::string bytes;
};

/// Reads what the other has written. Whatever is signed was written so; still nothing is read beyond the end.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : left(bytes) {}

  void operator()(std::int64_t& number) {
    std::uint64_t bits = 0;
    const std::string_view taken = take(8);
    for (std::size_t i = taken.size(); i > 0; --i) bits = (bits << 8) | static_cast<std::uint8_t>(taken[i - 1]);
    number = static_cast<std::int64_t>(bits);
  }
  void operator()(std::string& text) {
    std::int64_t size = 0;
    (*this)(size);
    text = take(static_cast<std::size_t>(size));
  }
  void operator()(Time& time) { time = from_ms(number()); }
  void operator()(Duration& duration) { duration = Duration{number()}; }
  void operator()(Hash32& hash) { copy(hash.data(), hash.size()); }
  void operator()(Uuid& uuid) { copy(uuid.bytes.data(), uuid.bytes.size()); }
  template <typename T>
  void operator()(std::optional<T>& value) {
    if (take(1) == std::string_view("\1", 1)) (*this)(value.emplace());
  }
  template <typename T>
    requires std::is_enum_v<T>
  void operator()(T& value) {
    value = static_cast<T>(number());
  }

  std::string_view left;
  bool is_short = false;

 private:
  std::int64_t number() {
    std::int64_t read = 0;
    (*this)(read);
    return read;
  }
  std::string_view take(std::size_t size) {
    is_short = is_short || size > left.size();
    if (is_short) return {};
    const std::string_view taken = left.substr(0, size);
    left.remove_prefix(size);
    return taken;
  }
  void copy(std::uint8_t* to, std::size_t size) {
    const std::string_view taken = take(size);
    std::copy(taken.begin(), taken.end(), to);
  }
};

/// All fields, in their order, for either of the two.
void visit_fields(auto& field, auto& entry) {
  field(entry.identity.tenant);
  field(entry.identity.hash);
  field(entry.until);
  auto& holder = entry.held.holder;
  field(holder.id.uuid);
  field(holder.kind);
  field(holder.named_task);
  field(holder.handler);
  field(holder.state);
  field(holder.created_at);
  field(holder.closed_at);
  field(holder.window.kind);
  field(holder.window.length);
  field(holder.fingerprint);
  field(holder.created_by);
  auto& execution = *entry.held.execution;
  field(execution.spec.key);
  field(execution.spec.context);
  field(execution.result);
  field(execution.error);
}

/// What the execution repeats of its holder.
void complete_execution(CacheEntry& entry) {
  const domain::Holder& holder = entry.held.holder;
  domain::Execution& execution = *entry.held.execution;
  execution.spec.tenant = entry.identity.tenant;
  execution.spec.id = holder.id;
  execution.spec.kind = holder.kind;
  execution.spec.handler = holder.handler;
  execution.spec.window = holder.window;
  execution.spec.fingerprint = holder.fingerprint;
  execution.spec.created_by = holder.created_by;
  execution.spec.identity.hash = entry.identity.hash;
  execution.state = holder.state;
  execution.created_at = holder.created_at;
  execution.closed_at = holder.closed_at;
}

}  // namespace

bool is_kept(const Held& held, std::size_t bytes_max) {
  const domain::Holder& holder = held.holder;
  if (held.by_id || !held.execution || holder.tombstone || holder.released_at) return false;
  if (holder.state != domain::State::completed || !holder.closed_at) return false;
  const auto size_of = [](const std::optional<std::string>& text) { return text ? text->size() : 0; };
  const domain::Execution& execution = *held.execution;
  return execution.spec.context.size() + size_of(execution.result) + size_of(execution.error) <= bytes_max;
}

CacheEntry entry_of(const DedupCache::Identity& identity, const Held& held) {
  CacheEntry entry{identity, {}, {held.holder, domain::Execution{}, false}};
  domain::Execution& execution = *entry.held.execution;
  execution.spec.key = held.execution->spec.key;
  execution.spec.context = held.execution->spec.context;
  execution.result = held.execution->result;
  execution.error = held.execution->error;
  complete_execution(entry);
  return entry;
}

EntryCodec::EntryCodec(std::string secret)
    : secret_(std::move(secret)),
      prefix_(fmt::format("semel:dedup:{}:", to_hex(sha256("semel.dedup.prefix" + secret_)).substr(0, 16))) {}

std::string EntryCodec::key_of(const Hash32& hash) const { return prefix_ + to_hex(hash); }

/// HMAC, RFC 2104; the secret is shorter than a block.
Hash32 EntryCodec::sign(std::string_view bytes) const {
  std::string inner(block_bytes, '\x36');
  std::string outer(block_bytes, '\x5c');
  for (std::size_t i = 0; i < secret_.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ secret_[i]);
    outer[i] = static_cast<char>(outer[i] ^ secret_[i]);
  }
  Sha256 hash;
  const Hash32 digest = hash.update(inner).update(bytes).finish();
  return hash.update(outer).update(as_text(digest)).finish();
}

std::string EntryCodec::encode(const CacheEntry& entry) const {
  FieldWriter writer;
  writer.bytes = version;
  visit_fields(writer, entry);
  writer.bytes += as_text(sign(writer.bytes));
  return std::move(writer.bytes);
}

std::optional<CacheEntry> EntryCodec::decode(const DedupCache::Identity& identity, std::string_view bytes) const {
  if (!bytes.starts_with(version) || bytes.size() < version.size() + signature_bytes) return std::nullopt;
  const std::string_view signature = bytes.substr(bytes.size() - signature_bytes);
  const std::string_view content = bytes.substr(0, bytes.size() - signature_bytes);
  if (as_text(sign(content)) != signature) return std::nullopt;
  CacheEntry entry;
  entry.held.execution.emplace();
  FieldReader reader(content.substr(version.size()));
  visit_fields(reader, entry);
  const bool is_whole = !reader.is_short && reader.left.empty();
  const bool is_this = entry.identity.tenant == identity.tenant && entry.identity.hash == identity.hash;
  if (!is_whole || !is_this || entry.held.holder.state != domain::State::completed) return std::nullopt;
  complete_execution(entry);
  return entry;
}

}  // namespace semel::store
