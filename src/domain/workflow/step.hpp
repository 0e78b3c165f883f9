#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "domain/retry.hpp"
#include "domain/workflow/condition.hpp"
#include "domain/workflow/key_template.hpp"

namespace semel::domain {

namespace limits {
inline constexpr std::size_t steps_max = 500;
inline constexpr std::size_t upstreams_max = 100;
inline constexpr std::size_t conditions_max = 20;
inline constexpr std::size_t fan_out_max = 10'000;
inline constexpr std::size_t run_result_bytes_max = 16 << 20;
}  // namespace limits

/// What becomes of a step when one that it depends on did not succeed. Numbers are stored.
enum class OnUpstreamFailure : std::uint8_t {
  skip = 0,   // it never runs
  block = 1,  // it waits for somebody to retry the other, or to give it a result
  run = 2,    // it runs all the same
};
std::string_view name_of(OnUpstreamFailure policy);
std::optional<OnUpstreamFailure> parse_on_upstream_failure(std::string_view name);

/// When a fan-out has succeeded. Numbers are stored.
enum class Join : std::uint8_t {
  all = 0,      // when every item has completed
  settled = 1,  // always: its result tells what each item came to
};
std::string_view name_of(Join join);
std::optional<Join> parse_join(std::string_view name);

/// One task for each element of an array.
struct ForEach {
  Source over{};
  std::optional<int> max_parallel{};  // absent = all at once
  Join join = Join::all;

  bool operator==(const ForEach&) const = default;
};

/// A step as its template describes it; where it says nothing itself, with what the template says for all.
struct Step {
  std::string name{};
  std::string handler{};
  std::vector<std::string> depends_on{};
  std::string queue = "default";
  RetrySettings retry{};
  std::optional<Duration> timeout{};
  std::optional<KeyTemplate> idempotency_key{};
  OnUpstreamFailure on_upstream_failure = OnUpstreamFailure::skip;
  std::vector<Condition> when{};  // all must hold
  std::optional<ForEach> for_each{};

  bool operator==(const Step&) const = default;
};

}  // namespace semel::domain
