#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Against lost answers a client sends its own task_uuid: it is looked up first, before identity and reuse.
namespace semel::test {
namespace {

constexpr const char* id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";

struct Subject {
  const char* name;
  Json request;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

std::vector<Subject> all_subjects() {
  const auto named = [](const char* name) { return Json{{"namespace", "shop"}, {"name", name}}; };
  Json keyed{{"handler", "charge"}, {"idempotency_key", "order-1"}};
  return {{"AnAdHocTask", {{"handler", "charge"}}},
          {"AnAdHocTaskWithAKey", keyed},
          {"AlwaysUnique", named("unique")},
          {"Strict", named("strict")}};
}

class ClientId : public ServerFixture {
 protected:
  void SetUp() override {
    ServerFixture::SetUp();
    put_template("unique", {{"identity_strategy", "always_unique"}});
    put_template("strict");
  }

  static Json with_id(Json request, const Json& context = 1) {
    request.update({{"task_uuid", id}, {"context", context}});
    return request;
  }
  static Json ad_hoc(const Json& context = 1) { return with_id({{"handler", "charge"}}, context); }
};

class ClientIdOf : public ClientId, public testing::WithParamInterface<Subject> {};

TEST_P(ClientIdOf, SentAgainGivesTheSameExecutionInEveryMode) {
  const Json request = with_id(GetParam().request);
  ASSERT_EQ(create("reader", request), id);

  for (const char* mode : {"reject", "describe", "return_existing"}) {
    Json again = request;
    again["on_duplicate"] = mode;
    const HttpAnswer answer = submit("reader", again);

    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json()["task_uuid"], id);
    EXPECT_EQ(answer.json()["status"], "pending");
    EXPECT_EQ(answer.json()["idempotency_key_new"], false);
  }
}

TEST_P(ClientIdOf, SentAgainAfterClosingGivesTheResultWhateverReuseSays) {
  Json request = with_id(GetParam().request);
  create("reader", request);
  bring_to(State::completed, id, "default");
  request["reuse"] = "allow_duplicate";

  const HttpAnswer answer = submit("reader", request);

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["task_uuid"], id);
  EXPECT_EQ(answer.json()["result"], result);
}

TEST_P(ClientIdOf, WithOtherContentIsRefused) {
  create("reader", with_id(GetParam().request, {{"a", 1}}));

  const HttpAnswer answer = submit("reader", with_id(GetParam().request, {{"a", 2}}));

  expect_refusal(answer, 422, "IDEMPOTENCY_KEY_MISMATCH", "This task_uuid was used with other content.");
  EXPECT_EQ(answer.json()["error"]["pointers"], Json{"/a"});
}

TEST_P(ClientIdOf, OfAHolderThatMayNotBeReadIsTheOpaqueAnswer) {
  create("other", with_id(GetParam().request));

  expect_opaque(submit("maker", with_id(GetParam().request)));
  expect_opaque(submit("maker", with_id(GetParam().request, 2)));
  EXPECT_EQ(submit("other", with_id(GetParam().request)).status, 200);
}

TEST_P(ClientIdOf, IsFreeInAnotherTenant) {
  for (const char* name : {"unique", "strict"}) {
    const Json document{{"namespace", "shop"}, {"name", name}, {"version", "1.0.0"}};
    ask({"PUT", "/v1/templates", "globex", document.dump()});
  }
  create("reader", with_id(GetParam().request, 1));

  EXPECT_EQ(submit("globex", with_id(GetParam().request, 2)).status, 201);
}

INSTANTIATE_TEST_SUITE_P(Subjects, ClientIdOf, testing::ValuesIn(all_subjects()),
                         [](const auto& info) { return info.param.name; });

TEST_F(ClientId, WithAnotherHandlerIsOtherContent) {
  create("reader", ad_hoc());

  expect_refusal(submit("reader", with_id({{"handler", "refund"}})), 422, "IDEMPOTENCY_KEY_MISMATCH");
}

TEST_F(ClientId, CannotBringAnIdentityThatAnotherTaskHolds) {
  const std::string holder = create("reader", {{"handler", "charge"}, {"idempotency_key", "order-1"}});

  expect_opaque(submit("reader", {{"handler", "charge"}, {"idempotency_key", "order-1"}, {"task_uuid", id}}));
  expect_refusal(get("reader", std::string("/v1/tasks/") + id), 404, "NOT_FOUND");
}

TEST_F(ClientId, MustBeAUuidOfVersionSeven) {
  for (const char* bad : {"", "order-1", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "019bddae-b818-4d82-b7c5-bd42e5db27fc",
                          "019bddaeb8187d82b7c5bd42e5db27fc", "019bddae-b818-7d82-f7c5-bd42e5db27fc"}) {
    SCOPED_TRACE(bad);
    expect_refusal(submit("reader", {{"handler", "charge"}, {"task_uuid", bad}}), 400, "BAD_REQUEST",
                   "task_uuid must be a UUIDv7");
  }
  EXPECT_EQ(submit("reader", {{"handler", "charge"}, {"task_uuid", "019BDDAE-B818-7D82-B7C5-BD42E5DB27FC"}})
                .json()["task_uuid"],
            id);
}

TEST_F(ClientId, IsPromisedForADayAfterClosingAlsoWhenTheTaskIsGone) {
  create("reader", ad_hoc());
  bring_to(State::completed, id, "default");
  const Time closed = clock_.now();
  remove("acme", id);

  clock_.set(closed + 24h - 1ms);
  const HttpAnswer within = submit("reader", ad_hoc());
  const HttpAnswer other = submit("reader", ad_hoc(2));
  clock_.set(closed + 24h);
  const HttpAnswer after = submit("reader", ad_hoc(2));

  EXPECT_EQ(within.status, 200) << within.body;
  EXPECT_EQ(within.json(), (Json{{"task_uuid", id},
                                 {"task_id", id},
                                 {"step_count", 1},
                                 {"status", "completed"},
                                 {"message", "Task exists already"},
                                 {"idempotency_key_used", false},
                                 {"idempotency_key_new", false},
                                 {"closed_at", to_rfc3339(closed)},
                                 {"result_expired", true}}));
  expect_refusal(other, 422, "IDEMPOTENCY_KEY_MISMATCH");
  EXPECT_EQ(other.json()["error"]["pointers"], Json::array());
  EXPECT_EQ(after.status, 201) << after.body;
}

class Tombstone : public ServerFixture {
 protected:
  void SetUp() override {
    ServerFixture::SetUp();
    holder_ = create("other", keyed_);
    bring_to(State::completed, holder_, "default");
    remove("acme", holder_);
  }

  const Json keyed_{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"reuse", "reject_duplicate"}};
  std::string holder_;
};

TEST_F(Tombstone, IsReturnedWithoutItsResult) {
  Json request = keyed_;
  request["on_duplicate"] = "return_existing";

  const HttpAnswer answer = submit("reader", request);

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["task_uuid"], holder_);
  EXPECT_EQ(answer.json()["task_id"], "order-1");
  EXPECT_EQ(answer.json()["status"], "completed");
  EXPECT_EQ(answer.json()["result_expired"], true);
  EXPECT_FALSE(answer.json().contains("result"));
}

TEST_F(Tombstone, IsReturnedAtOnceToWhoWaits) {
  Json request = keyed_;
  request.update({{"on_duplicate", "return_existing"}, {"wait", "60s"}});

  EXPECT_EQ(submit("reader", request).json()["result_expired"], true);
}

TEST_F(Tombstone, IsDescribedWithoutItsResult) {
  Json request = keyed_;
  request["on_duplicate"] = "describe";

  const HttpAnswer answer = submit("reader", request);

  expect_refusal(answer, 409, "TASK_ALREADY_COMPLETED", "Task with ID 'order-1' already completed successfully");
  EXPECT_EQ(answer.json()["error"]["existing_execution_id"], holder_);
  EXPECT_EQ(answer.json()["error"]["result_expired"], true);
  EXPECT_FALSE(answer.json()["error"].contains("result"));
}

TEST_F(Tombstone, IsOpaqueToWhoMayNotReadAndStillReadableByItsCreator) {
  Json request = keyed_;
  request["on_duplicate"] = "return_existing";

  expect_opaque(submit("maker", request));
  EXPECT_EQ(submit("other", request).status, 200);
}

TEST_F(Tombstone, SaysThatTheResultHasExpired) {
  const std::string target = "/v1/tasks/" + holder_ + "/result";

  expect_refusal(get("reader", target), 410, "RESULT_EXPIRED", "no longer kept");
  expect_refusal(get("reader", target + "?wait=60s"), 410, "RESULT_EXPIRED");
  expect_refusal(get("other", target), 410, "RESULT_EXPIRED");
  expect_refusal(get("maker", target), 404, "NOT_FOUND");
  expect_refusal(get("globex", target), 404, "NOT_FOUND");
}

TEST_F(Tombstone, CanBeTakenOverByWhoMayReuseACompletedHolder) {
  Json request = keyed_;
  request["reuse"] = "allow_duplicate";

  EXPECT_EQ(submit("reader", request).json()["previous_execution_id"], holder_);
}

}  // namespace
}  // namespace semel::test
