#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "domain/id.hpp"

namespace semel {

/// That a completed execution holds an identity, with its result there to be read: what a promise is asked for.
struct Holding {
  std::string tenant;
  Hash32 hash{};
  domain::ExecutionId id;
  std::optional<Time> closed_at;  // an id that a client made may be used again, when it is promised no more
  std::string queue;
};

/// What a store promises of holdings: that each of them stays as it is until its time has come.
struct Promised {
  Time now;                                // by the store's clock, at some moment between the question and the answer
  std::vector<std::optional<Time>> until;  // one for each; absent = it is not so, or may change at any moment
};

/// Facts that cannot change before a known time. While a promise runs, the store postpones what would change the
/// holding: a takeover, a release, a removal (`Postponed`). So whoever has been told need not ask again until then,
/// whatever becomes of the copies that it has made. Callable from any thread; waits for the store. Throws StoreFault.
class Promises {
 public:
  virtual ~Promises() = default;

  /// Each promise is of at most this length; none outlives the window of its identity. The store itself keeps it for
  /// `grace` longer, so that clocks which differ by less do no harm.
  virtual Promised promise(std::span<const Holding> holdings, Duration length, Duration grace) = 0;

  /// What all servers of this store know, and nobody else: 32 random bytes.
  virtual std::string secret() = 0;

  /// The store's clock, as far as it is known here. Cheap.
  virtual Time promises_now() const = 0;
};

/// So long nobody is promised anything of an identity, once a promise was in somebody's way: who waits does not wait
/// for a second one.
inline constexpr Duration unpromised_for = 1h;

}  // namespace semel
