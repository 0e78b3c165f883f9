#include "base/uuid7_source.hpp"

#include <openssl/rand.h>

#include <array>

#include "base/ensure.hpp"

namespace semel {
namespace {

constexpr std::uint32_t counter_max = 0xFFF;

Uuid lay_out(std::uint64_t ms, std::uint32_t counter, std::uint64_t random) {
  Uuid uuid;
  for (std::size_t i = 0; i < 6; ++i) uuid.bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
  uuid.bytes[6] = static_cast<std::uint8_t>(0x70 | (counter >> 8));
  uuid.bytes[7] = static_cast<std::uint8_t>(counter & 0xFF);
  for (std::size_t i = 0; i < 8; ++i) uuid.bytes[8 + i] = static_cast<std::uint8_t>(random >> (56 - 8 * i));
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);
  return uuid;
}

}  // namespace

Uuid7Source::Uuid7Source(Random random) : random_(std::move(random)) {}

Uuid Uuid7Source::next(Time now) {
  const std::uint64_t random = random_();
  const std::lock_guard lock(mutex_);
  if (to_ms(now) > last_ms_) {
    last_ms_ = to_ms(now);
    counter_ = static_cast<std::uint32_t>(random >> 53);  // 11 bits: the upper half stays free to count in
  } else if (counter_ == counter_max) {
    ++last_ms_;
    counter_ = 0;
  } else {
    ++counter_;
  }
  return lay_out(static_cast<std::uint64_t>(last_ms_), counter_, random);
}

std::uint64_t secure_random() {
  thread_local std::array<std::uint64_t, 64> buffer{};
  thread_local std::size_t used = buffer.size();
  if (used == buffer.size()) {
    ensure(RAND_bytes(reinterpret_cast<unsigned char*>(buffer.data()), sizeof buffer) == 1);
    used = 0;
  }
  return buffer[used++];
}

}  // namespace semel
