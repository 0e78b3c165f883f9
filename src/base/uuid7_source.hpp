#pragma once
#include <cstdint>
#include <functional>
#include <mutex>

#include "base/time.hpp"
#include "base/uuid.hpp"

namespace semel {

/// Makes UUIDv7 (RFC 9562) that strictly increase within this source, also when the clock stands or is
/// set back: the 12 bits after the millisecond are a counter (method 1 of section 6.2, seeded anew each
/// millisecond in its lower half), and an exhausted counter borrows the next millisecond.
/// Callable from any thread.
class Uuid7Source {
 public:
  using Random = std::function<std::uint64_t()>;

  explicit Uuid7Source(Random random);

  Uuid next(Time now);

 private:
  const Random random_;
  std::mutex mutex_;  // guards what follows
  std::int64_t last_ms_ = -1;
  std::uint32_t counter_ = 0;
};

/// Bits from the operating system's generator, buffered; callable from any thread.
std::uint64_t secure_random();

}  // namespace semel
