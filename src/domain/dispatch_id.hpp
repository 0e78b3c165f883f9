#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace semel::domain {

/// The two names of one dispatch: readable inside, hashed for targets with naming rules.
struct DispatchIds {
  std::string internal;  // dispatch:{run_id}:{task_key}:{attempt}, and :r{repair} when it was given a new name
  std::string external;  // d_ + 26 characters of base32

  bool operator==(const DispatchIds&) const = default;
};

/// Parts that contain ':' or '%' are percent-escaped first, so that no two dispatches share a name.
DispatchIds dispatch_ids(std::string_view run_id, std::string_view task_key, int attempt, int repair = 0);

/// Likewise, of the timers of an attempt: of the one that begins the next attempt, and of the one that ends this one
/// when nothing is heard of it. Times are whole seconds since 1970.
DispatchIds retry_timer_ids(std::string_view run_id, std::string_view task_key, int attempt, std::int64_t due);
DispatchIds heartbeat_timer_ids(std::string_view run_id, std::string_view task_key, std::int64_t check);

/// What an internal name says. Any of the three kinds.
struct DispatchName {
  std::string run_id{};
  std::string task_key{};
  std::optional<int> attempt{};  // a heartbeat timer does not say it
  int repair = 0;

  bool operator==(const DispatchName&) const = default;
};
/// Nothing when it is no internal name, written as it must be.
std::optional<DispatchName> parse_dispatch_id(std::string_view internal);

/// `prefix` + the first 26 characters of lower-case RFC 4648 base32 of SHA-256(internal).
std::string external_id(std::string_view prefix, std::string_view internal);

}  // namespace semel::domain
