#include "domain/workflow/step_id.hpp"

#include <algorithm>
#include <charconv>

#include "base/sha256.hpp"

namespace semel::domain {

std::string task_key(std::string_view step, std::optional<std::size_t> item) {
  std::string key(step);
  if (item) key.append("[").append(std::to_string(*item)).append("]");
  return key;
}

std::string step_of(std::string_view task_key) { return std::string(task_key.substr(0, task_key.find('['))); }

std::optional<std::size_t> index_of(std::string_view task_key) {
  const std::size_t bracket = task_key.find('[');
  if (bracket == std::string_view::npos || !task_key.ends_with(']')) return std::nullopt;
  std::size_t index = 0;
  const char* const end = task_key.data() + task_key.size() - 1;
  const auto [read, error] = std::from_chars(task_key.data() + bracket + 1, end, index);
  return error == std::errc{} && read == end ? std::optional(index) : std::nullopt;
}

ExecutionId step_execution_id(ExecutionId run, std::string_view task_key) {
  using namespace std::string_view_literals;
  constexpr std::size_t time_bytes = 6;
  const Hash32 hash = Sha256().update("semel.step.v1\0"sv).update(run.uuid.view()).update(task_key).finish();
  Uuid id = run.uuid;
  std::copy_n(hash.begin(), id.bytes.size() - time_bytes, id.bytes.begin() + time_bytes);
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x80);  // version 8: made in a way of our own
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);  // the variant of RFC 9562
  return ExecutionId{id};
}

}  // namespace semel::domain
