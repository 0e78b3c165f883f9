#include "domain/usage.hpp"

#include <gtest/gtest.h>

namespace semel::domain {
namespace {

TEST(TenantLimits, ZeroIsNoLimit) {
  EXPECT_FALSE(TenantLimits{}.is_set());
  EXPECT_EQ(refusal_by_limits({}, {1'000'000, 1'000'000'000}, 1'000'000), std::nullopt);
}

TEST(TenantLimits, TheLastOneThatFitsIsTaken) {
  const TenantLimits limits{.open_tasks = 3, .payload_bytes = 100};
  EXPECT_EQ(refusal_by_limits(limits, {2, 60}, 40), std::nullopt);
  EXPECT_EQ(refusal_by_limits(limits, {2, 60}, 41).value().code, ErrorCode::tenant_limit);
  EXPECT_EQ(refusal_by_limits(limits, {3, 0}, 0).value().code, ErrorCode::tenant_limit);
}

}  // namespace
}  // namespace semel::domain
