#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "engine/engine.hpp"

/// What workers say, checked value by value: every interface refuses the same, in the same words.
namespace semel::codec {

/// A JSON text that comes as a value of its own, as written, without surrounding white space. `canonical` gets its
/// canonical form.
Result<std::string_view> read_value(std::string_view field, std::string_view text, std::string& canonical);

/// Results and errors have the limit of contexts.
Result<void> check_payload(std::string_view field, std::size_t bytes);

/// The error of a failed attempt as canonical JSON: {"type", "message", "details"?}.
Result<std::string> make_failure(std::string_view type, std::string_view message,
                                 std::optional<std::string_view> details);

Result<Duration> retry_after_of(std::int64_t ms);
Result<Duration> lease_of(std::int64_t ms);
inline constexpr std::size_t progress_message_bytes_max = 1'000;
Result<void> check_progress_message(std::string_view message);

/// What a worker asks for, before it has been looked at.
struct PollDraft {
  std::optional<std::string> worker{};
  std::optional<std::vector<std::string>> queues{};
  std::map<std::string, int> weights{};  // a queue that is not named weighs 1
  std::optional<std::vector<std::string>> handlers{};
  std::optional<std::vector<std::string>> workflows{};  // kinds; with some, handlers that are not named are not meant
  Duration lease = domain::default_lease;
};
Result<engine::Engine::PollRequest> finish_poll(PollDraft draft);
Result<void> check_weight(std::int64_t weight);

}  // namespace semel::codec
