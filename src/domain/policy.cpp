#include "domain/policy.hpp"

#include <array>
#include <utility>

#include "base/ensure.hpp"

namespace semel::domain {
namespace {

template <typename E>
struct Names;

template <>
struct Names<Reuse> {
  static constexpr std::array table{std::pair{Reuse::allow_duplicate_failed_only, "allow_duplicate_failed_only"},
                                    std::pair{Reuse::reject_duplicate, "reject_duplicate"},
                                    std::pair{Reuse::allow_duplicate, "allow_duplicate"}};
};
template <>
struct Names<OnDuplicate> {
  static constexpr std::array table{std::pair{OnDuplicate::reject, "reject"},
                                    std::pair{OnDuplicate::describe, "describe"},
                                    std::pair{OnDuplicate::return_existing, "return_existing"}};
};
template <>
struct Names<OnMismatch> {
  static constexpr std::array table{std::pair{OnMismatch::reject, "reject"}, std::pair{OnMismatch::ignore, "ignore"}};
};
template <>
struct Names<Strategy> {
  static constexpr std::array table{std::pair{Strategy::strict, "strict"},
                                    std::pair{Strategy::caller_provided, "caller_provided"},
                                    std::pair{Strategy::always_unique, "always_unique"}};
};
template <>
struct Names<Scope> {
  static constexpr std::array table{
      std::pair{Scope::tenant, "tenant"}, std::pair{Scope::queue, "queue"}, std::pair{Scope::template_, "template"},
      std::pair{Scope::template_version, "template_version"}, std::pair{Scope::schedule, "schedule"}};
};

template <typename E>
std::string_view find_name(E value) {
  for (const auto& [candidate, name] : Names<E>::table) {
    if (candidate == value) return name;
  }
  ensure(false);
  return "";
}

template <typename E>
std::optional<E> find_value(std::string_view text) {
  for (const auto& [value, name] : Names<E>::table) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Reuse reuse) { return find_name(reuse); }
std::string_view name_of(OnDuplicate on_duplicate) { return find_name(on_duplicate); }
std::string_view name_of(OnMismatch on_mismatch) { return find_name(on_mismatch); }
std::string_view name_of(Strategy strategy) { return find_name(strategy); }
std::string_view name_of(Scope scope) { return find_name(scope); }
std::optional<Reuse> parse_reuse(std::string_view text) { return find_value<Reuse>(text); }
std::optional<OnDuplicate> parse_on_duplicate(std::string_view text) { return find_value<OnDuplicate>(text); }
std::optional<OnMismatch> parse_on_mismatch(std::string_view text) { return find_value<OnMismatch>(text); }
std::optional<Strategy> parse_strategy(std::string_view text) { return find_value<Strategy>(text); }
std::optional<Scope> parse_scope(std::string_view text) {
  const std::optional<Scope> scope = find_value<Scope>(text);
  return scope == Scope::schedule ? std::nullopt : scope;
}

}  // namespace semel::domain
