#include "domain/policy.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace semel::domain {
namespace {

/// Each name is read back as its value, and only exactly as written.
template <typename E, typename Parse>
void expect_names(Parse parse, const std::vector<std::pair<E, std::string>>& names) {
  for (const auto& [value, name] : names) {
    EXPECT_EQ(name_of(value), name);
    EXPECT_EQ(parse(name), value) << name;
    EXPECT_EQ(parse(name + " "), std::nullopt) << name;
    EXPECT_EQ(parse(name.substr(0, name.size() - 1)), std::nullopt) << name;
    std::string upper = name;
    upper[0] = static_cast<char>(upper[0] - 'a' + 'A');
    EXPECT_EQ(parse(upper), std::nullopt) << upper;
  }
  EXPECT_EQ(parse(""), std::nullopt);
}

TEST(Policy, NamesReuseAsOnTheWire) {
  expect_names<Reuse>(parse_reuse, {{Reuse::allow_duplicate_failed_only, "allow_duplicate_failed_only"},
                                    {Reuse::reject_duplicate, "reject_duplicate"},
                                    {Reuse::allow_duplicate, "allow_duplicate"}});
}

TEST(Policy, NamesOnDuplicateAsOnTheWire) {
  expect_names<OnDuplicate>(parse_on_duplicate, {{OnDuplicate::reject, "reject"},
                                                 {OnDuplicate::describe, "describe"},
                                                 {OnDuplicate::return_existing, "return_existing"}});
}

TEST(Policy, NamesOnPayloadMismatchAsOnTheWire) {
  expect_names<OnMismatch>(parse_on_mismatch, {{OnMismatch::reject, "reject"}, {OnMismatch::ignore, "ignore"}});
}

TEST(Policy, NamesStrategiesAsOnTheWire) {
  expect_names<Strategy>(parse_strategy, {{Strategy::strict, "strict"},
                                          {Strategy::caller_provided, "caller_provided"},
                                          {Strategy::always_unique, "always_unique"}});
}

TEST(Policy, NamesScopesAsOnTheWire) {
  expect_names<Scope>(parse_scope, {{Scope::tenant, "tenant"},
                                    {Scope::queue, "queue"},
                                    {Scope::template_, "template"},
                                    {Scope::template_version, "template_version"}});
}

TEST(Policy, KeepsTheNumbersThatStoresHaveWritten) {
  EXPECT_EQ(static_cast<int>(Strategy::strict), 0);
  EXPECT_EQ(static_cast<int>(Strategy::caller_provided), 1);
  EXPECT_EQ(static_cast<int>(Strategy::always_unique), 2);
  EXPECT_EQ(static_cast<int>(Scope::tenant), 0);
  EXPECT_EQ(static_cast<int>(Scope::queue), 1);
  EXPECT_EQ(static_cast<int>(Scope::template_), 2);
  EXPECT_EQ(static_cast<int>(Scope::template_version), 3);
}

}  // namespace
}  // namespace semel::domain
