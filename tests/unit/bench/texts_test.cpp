#include "bench/texts.hpp"
#include "tests/support/json.hpp"

#include <gtest/gtest.h>

namespace semel::bench {
namespace {

using Json = nlohmann::json;

constexpr const char* first_id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
constexpr const char* second_id = "019bddae-b818-7d82-b7c5-bd42e5db27fd";

/// As the server writes a lease.
std::string lease(const std::string& attempt_id, const std::string& task_id) {
  return R"({"attempt_id":")" + attempt_id + R"(","task_uuid":"019bddae-b818-7d82-b7c5-bd42e5db2700","task_id":")" +
         task_id + R"(","handler":"bench","context":)" + context_of(3) + "}";
}

TEST(BenchTexts, OfABatchAreConsecutiveTasks) {
  const Json batch = Json::parse(batch_body(7, 2));

  ASSERT_EQ(batch["tasks"].size(), 2u);
  EXPECT_EQ(batch["tasks"][0], Json::parse(task_body(7)));
  EXPECT_EQ(batch["tasks"][1]["idempotency_key"], "bench-8");
}

TEST(BenchTexts, OfLeasesAreReadInOrder) {
  const std::string answer = R"({"leases":[)" + lease(first_id, "bench-12") + "," + lease(second_id, "bench-7") + "]}";

  EXPECT_EQ(leases_in(answer), (std::vector<Leased>{{first_id, 12}, {second_id, 7}}));
  EXPECT_EQ(leases_in(R"({"leases":[]})"), std::vector<Leased>{});
}

TEST(BenchTexts, OfCompletionsNameEveryAttempt) {
  const Json body = Json::parse(completions_body({{first_id, 12}, {second_id, 7}}));

  ASSERT_EQ(body["outcomes"].size(), 2u);
  EXPECT_EQ(body["outcomes"][0]["attempt_id"], first_id);
  EXPECT_EQ(body["outcomes"][1]["attempt_id"], second_id);
  EXPECT_EQ(body["outcomes"][1]["complete"]["result"], Json::parse(result_text));
}

TEST(BenchTexts, OfAPollBringTheOutcomesOfWhatCameBefore) {
  const Json body = Json::parse(poll_body_with(poll_body(3, 10, Duration{0}), {{first_id, 12}}));

  EXPECT_EQ(body["max"], 10);
  EXPECT_EQ(body["outcomes"][0]["attempt_id"], first_id);
}

TEST(BenchTexts, OfAnswersAreCounted) {
  EXPECT_EQ(created_in(R"({"results":[{"status":201,"body":{}},{"status":409,"body":{}},{"status":201,"body":{}}]})"),
            2u);
  EXPECT_EQ(completed_in(R"({"results":[{"status":200,"body":{"status":"completed"}},{"status":409,"body":{}}]})"), 1u);
}

}  // namespace
}  // namespace semel::bench
