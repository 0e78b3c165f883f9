#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/e2e/server_process.hpp"
#include "tests/support/database.hpp"
#include "tests/support/http_herd.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

/// More clients at once than a server usually has.
namespace semel::test {
namespace {

constexpr std::size_t pollers = is_sanitized ? 500 : 5'000;
constexpr std::size_t batch = 500;

class Crowd : public testing::Test {
 protected:
  const TempDir folder_;
  const std::filesystem::path file_ = folder_ / "crowd.db";
  ServerProcess server_{file_};
};
using CrowdLong = Crowd;

TEST_F(Crowd, ThousandsOfLongPollsWaitAndEachGetsATask) {
  HttpHerd waiting(server_.address(), pollers);
  const Json poll{{"worker_id", "w"}, {"queues", {"crowded"}}, {"max", 1}, {"wait_ms", 60'000}};
  waiting.send_all({{"POST", "/v1/worker/poll", "", poll.dump()}});
  RestClient client = server_.connect();
  ASSERT_EQ(client.get("/healthz").status, 200) << "it has time for others";

  Json tasks = Json::array();
  for (std::size_t i = 0; i < batch; ++i) tasks.push_back({{"handler", "a"}, {"queue", "crowded"}});
  for (std::size_t made = 0; made < pollers; made += batch) {
    ASSERT_EQ(client.post("/v1/tasks:batch", {{"tasks", tasks}}).status, 200);
  }

  std::set<std::string> leased;
  for (const HttpAnswer& answer : waiting.read_all()) {
    const Json leases = answer.json()["leases"];
    ASSERT_EQ(leases.size(), 1u);
    leased.insert(leases[0]["task_uuid"]);
  }
  EXPECT_EQ(leased.size(), pollers) << "a task was given twice";
}

TEST_F(CrowdLong, TenThousandIdenticalRequestsCreateOneTask) {
  HttpHerd herd(server_.address(), 10'000);  // as many as a server lets in
  for (int round = 0; round < 20; ++round) {
    const Json request{{"handler", "charge"}, {"idempotency_key", fmt::format("order-{}", round)}};

    const auto answers = herd.rush({{"POST", "/v1/tasks", "", request.dump()}});

    const auto with = [&](int status) {
      return std::count_if(answers.begin(), answers.end(), [&](const auto& one) { return one.status == status; });
    };
    EXPECT_EQ(with(201), 1);
    EXPECT_EQ(with(409), 9'999);
    EXPECT_EQ(Database(file_).count("SELECT count(*) FROM executions"), static_cast<std::size_t>(round + 1));
  }
}

}  // namespace
}  // namespace semel::test
