#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace semel::domain {

/// When a held identity may be taken over by a new execution.
enum class Reuse : std::uint8_t { allow_duplicate_failed_only, reject_duplicate, allow_duplicate };

/// What a duplicate is told.
enum class OnDuplicate : std::uint8_t { reject, describe, return_existing };

/// Whether a duplicate with another payload is refused.
enum class OnMismatch : std::uint8_t { reject, ignore };

/// What identifies a submission that brings no key.
enum class Strategy : std::uint8_t { strict = 0, caller_provided = 1, always_unique = 2 };  // numbers are stored

/// Within what an identity is unique.
enum class Scope : std::uint8_t {  // numbers are stored
  tenant = 0,
  queue = 1,
  template_ = 2,
  template_version = 3,
  schedule = 4,  // of the firings of one schedule: no request can have it, so none can meet a firing
};

// Wire names. The parsers take exactly these, in lower case; parse_scope() only what a template may say. All there
// are, for the message to whoever wrote another:
inline constexpr std::string_view reuse_names = "allow_duplicate_failed_only, reject_duplicate, allow_duplicate";
inline constexpr std::string_view on_duplicate_names = "reject, describe, return_existing";
inline constexpr std::string_view on_mismatch_names = "reject, ignore";
inline constexpr std::string_view strategy_names = "strict, caller_provided, always_unique";
inline constexpr std::string_view scope_names = "template, template_version, queue, tenant";
std::string_view name_of(Reuse reuse);
std::string_view name_of(OnDuplicate on_duplicate);
std::string_view name_of(OnMismatch on_mismatch);
std::string_view name_of(Strategy strategy);
std::string_view name_of(Scope scope);
std::optional<Reuse> parse_reuse(std::string_view text);
std::optional<OnDuplicate> parse_on_duplicate(std::string_view text);
std::optional<OnMismatch> parse_on_mismatch(std::string_view text);
std::optional<Strategy> parse_strategy(std::string_view text);
std::optional<Scope> parse_scope(std::string_view text);

}  // namespace semel::domain
