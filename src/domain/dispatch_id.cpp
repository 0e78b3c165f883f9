#include "domain/dispatch_id.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <vector>

#include "base/sha256.hpp"

namespace semel::domain {
namespace {

constexpr std::size_t external_chars = 26;

std::string escape(std::string_view part) {
  std::string escaped;
  for (const char c : part) {
    if (c == ':') escaped += "%3A";
    else if (c == '%') escaped += "%25";
    else escaped += c;
  }
  return escaped;
}

}  // namespace

std::string external_id(std::string_view prefix, std::string_view internal) {
  static constexpr char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
  const Hash32 hash = sha256(internal);
  std::string id(prefix);
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < external_chars; ++i) {
    if (count < 5) {
      bits = (bits << 8) | hash[byte++];
      count += 8;
    }
    count -= 5;
    id += alphabet[(bits >> count) & 31];
  }
  return id;
}

namespace {

DispatchIds named(std::string_view prefix, std::string internal) {
  std::string external = external_id(prefix, internal);
  return {std::move(internal), std::move(external)};
}

/// The parts between colons. Nothing when one of them is not escaped as it must be.
std::optional<std::vector<std::string>> name_parts(std::string_view internal) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < internal.size(); ++i) {
    const std::string_view rest = internal.substr(i);
    if (rest[0] == ':') {
      parts.emplace_back();
    } else if (rest[0] != '%') {
      parts.back() += rest[0];
    } else {
      if (!rest.starts_with("%3A") && !rest.starts_with("%25")) return std::nullopt;
      parts.back() += rest[1] == '3' ? ':' : '%';
      i += 2;
    }
  }
  return parts;
}

/// A number as we write it: no sign, no zero before it.
std::optional<int> count_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text != std::to_string(number)) return std::nullopt;
  return number >= 1 ? std::optional(number) : std::nullopt;
}

}  // namespace

DispatchIds dispatch_ids(std::string_view run_id, std::string_view task_key, int attempt, int repair) {
  std::string internal = fmt::format("dispatch:{}:{}:{}", escape(run_id), escape(task_key), attempt);
  if (repair > 0) internal += fmt::format(":r{}", repair);
  return named("d_", std::move(internal));
}

DispatchIds retry_timer_ids(std::string_view run_id, std::string_view task_key, int attempt, std::int64_t due) {
  return named("t_", fmt::format("timer:retry:{}:{}:{}:{}", escape(run_id), escape(task_key), attempt, due));
}

DispatchIds heartbeat_timer_ids(std::string_view run_id, std::string_view task_key, std::int64_t check) {
  return named("t_", fmt::format("timer:heartbeat:{}:{}:{}", escape(run_id), escape(task_key), check));
}

std::optional<DispatchName> parse_dispatch_id(std::string_view internal) {
  const std::optional<std::vector<std::string>> parts = name_parts(internal);
  if (!parts) return std::nullopt;
  const std::vector<std::string>& part = *parts;
  const bool is_dispatch = part[0] == "dispatch" && (part.size() == 4 || part.size() == 5);
  const bool is_retry = part.size() == 6 && part[0] == "timer" && part[1] == "retry";
  if (part.size() == 5 && part[0] == "timer" && part[1] == "heartbeat") return DispatchName{part[2], part[3]};
  if (!is_dispatch && !is_retry) return std::nullopt;
  const std::size_t first = is_retry ? 2 : 1;
  DispatchName name{part[first], part[first + 1], count_in(part[first + 2])};
  if (!name.attempt) return std::nullopt;
  if (is_retry || part.size() == 4) return name;
  const std::optional<int> repair =
      part[4].starts_with('r') ? count_in(std::string_view(part[4]).substr(1)) : std::nullopt;
  if (!repair) return std::nullopt;
  name.repair = *repair;
  return name;
}

}  // namespace semel::domain
