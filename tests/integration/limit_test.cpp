#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

class TenantLimit : public ServerFixture {
 protected:
  TenantLimit() { options_.store.sqlite.limits = {.open_tasks = 2, .payload_bytes = 0}; }
};

TEST_F(TenantLimit, IsToldWithWhenToComeBackAndHarmsNoOtherTenant) {
  create("admin", {{"handler", "mail"}});
  const std::string second = create("admin", {{"handler", "mail"}, {"idempotency_key", "a"}});

  const HttpAnswer refused = submit("admin", {{"handler", "mail"}});

  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "TENANT_LIMIT");
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(submit("globex", {{"handler", "mail"}}).status, 201);
  EXPECT_EQ(submit("admin", {{"handler", "mail"}, {"idempotency_key", "a"}}).status, 409);
  cancel(second);
  EXPECT_EQ(submit("admin", {{"handler", "mail"}}).status, 201);
}

TEST_F(TenantLimit, RefusesOnlyWhatIsTooMuchOfABatch) {
  const Json task{{"handler", "mail"}};

  const Json results = post("admin", "/v1/tasks:batch", {{"tasks", {task, task, task}}}).json()["results"];

  EXPECT_EQ(results[0]["status"], 201);
  EXPECT_EQ(results[1]["status"], 201);
  EXPECT_EQ(results[2]["status"], 429);
  EXPECT_EQ(results[2]["body"]["error"]["code"], "TENANT_LIMIT");
}

}  // namespace
}  // namespace semel::test
