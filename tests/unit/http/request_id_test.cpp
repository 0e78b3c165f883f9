#include "api/http/transport/request_id.hpp"

#include <gtest/gtest.h>

#include <set>

namespace semel::http {
namespace {

TEST(RequestId, AClientsIdIsTakenOnlyIfItIsShortAndPlain) {
  for (const std::string& id : {std::string("a"), std::string("A-b_c.9"), std::string(128, 'x')}) {
    EXPECT_TRUE(is_sane_request_id(id)) << id;
  }
  for (const std::string& id : {std::string(), std::string(129, 'x'), std::string("a b"), std::string("a\nb"),
                                std::string("\"a\""), std::string("\xc3\xa9"), std::string("a/b")}) {
    EXPECT_FALSE(is_sane_request_id(id)) << id;
  }
}

TEST(RequestId, FreshIdsAreSaneAndAllDifferent) {
  RequestIds ids(42);
  std::set<std::string> seen;

  for (int made = 0; made < 10'000; ++made) {
    const std::string id = ids.next();
    ASSERT_EQ(id.size(), 16u);
    ASSERT_TRUE(is_sane_request_id(id));
    ASSERT_TRUE(seen.insert(id).second);
  }
}

TEST(RequestId, TwoServersMakeDifferentIds) { EXPECT_NE(RequestIds(1).next(), RequestIds(2).next()); }

}  // namespace
}  // namespace semel::http
