#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sdk/event.hpp"
#include "semel/detail/closing.hpp"

namespace semel::sdk {

/// What the code asked for, by one of its commands.
enum class Asked : std::uint8_t { task, timer, child, promise, marker, cancel };

/// An event as the replay understands it.
struct Recorded {
  enum class What : std::uint8_t { began, continued, asked, closed, signal, other };

  What what = What::other;
  std::uint64_t number = 0;   // of the command that it is about; of continued: the last one used before
  Asked asked = Asked::task;  // of asked
  std::string name{};         // the handler, the kind, the marker, the signal, the key of a promise
  std::string value{};        // JSON text, of a marker or a signal
  detail::Closing closing{};  // of closed
};

/// Refused when the event is not as the server writes it.
Result<Recorded> read_event(const Event& event);

/// For people: "task 'charge'", "timer", "marker 'version:fees'".
std::string describe(Asked asked, std::string_view name);

/// A JSON object {"type", "message"}.
std::string error_text(std::string_view type, std::string_view message);

}  // namespace semel::sdk
