// Against an endpoint that keeps to Google's rules.
#include "base/base64.hpp"
#include "domain/webhook.hpp"
#include "tests/dispatch/dispatch_fixture.hpp"
#include "tests/support/cloud_tasks_endpoint.hpp"

namespace semel::dispatch {
namespace {

using test::CloudTasksEndpoint;
using testing::HasSubstr;

class CloudTasksTest : public testing::Test {
 protected:
  CloudTasksTest() {
    options_ = test_options();
    options_.now = now_;
    options_.signing_secrets = {{"default", {test_secret}}};
    options_.cloud_tasks.api_url = google_.api_url();
    options_.cloud_tasks.credentials = google_.credentials();
    options_.cloud_tasks.deliver_to = receiver_.url("/run");
    targets_ = make_targets(options_).value();
  }

  DispatchOrder order() { return order_for(target_, ids_); }
  SendAnswer send(const DispatchOrder& order) { return send_and_wait(*targets_, order); }

  const std::string target_ = "cloudtasks://projects/p/locations/l/queues/q";
  ManualClock clock_;
  const std::function<Time()> now_ = [this] { return clock_.now(); };
  CloudTasksEndpoint google_{{.now = now_}};
  EndpointReply received_;
  PushEndpoint receiver_{[this](const EndpointRequest&) { return received_; }};
  test::Ids ids_;
  Options options_;
  std::unique_ptr<DispatchTargets> targets_;
};

TEST_F(CloudTasksTest, TakesATaskUnderItsExternalId) {
  const DispatchOrder order = this->order();

  EXPECT_FALSE(expect_kind<SendAccepted>(send(order)).is_deduplicated);

  const std::vector<CloudTasksEndpoint::Task> tasks = google_.tasks();
  ASSERT_EQ(tasks.size(), 1U);
  EXPECT_EQ(tasks[0].name, "projects/p/locations/l/queues/q/tasks/" + order.ids.external);
  EXPECT_EQ(tasks[0].schedule_time, clock_.now());
  EXPECT_EQ(tasks[0].http_request["url"], receiver_.url("/run"));
  EXPECT_EQ(tasks[0].http_request["httpMethod"], "POST");
}

TEST_F(CloudTasksTest, IsAskedBelowThePathOfItsUrl) {
  for (const char* slash : {"", "/"}) {
    CloudTasksEndpoint gateway({.now = now_, .base = "/gateway"});
    options_.cloud_tasks.api_url = gateway.api_url() + slash;
    options_.cloud_tasks.credentials = gateway.credentials();
    targets_ = make_targets(options_).value();

    expect_kind<SendAccepted>(send(order()));

    EXPECT_EQ(gateway.endpoint().requests().back().target, "/gateway/v2/projects/p/locations/l/queues/q/tasks");
  }
}

TEST_F(CloudTasksTest, IsAskedTheSameWhetherItsUrlEndsWithASlash) {
  options_.cloud_tasks.api_url = google_.api_url() + "/";
  targets_ = make_targets(options_).value();

  expect_kind<SendAccepted>(send(order()));

  EXPECT_EQ(google_.endpoint().requests().back().target, "/v2/projects/p/locations/l/queues/q/tasks");
}

TEST_F(CloudTasksTest, DeliversWhatAnEndpointWouldGet) {
  const DispatchOrder order = this->order();
  expect_kind<SendAccepted>(send(order));

  EXPECT_EQ(google_.deliver_due(), 1);

  const EndpointRequest request = receiver_.requests().at(0);
  EXPECT_EQ(request.target, "/run");
  EXPECT_EQ(request.header("idempotency-key"), order.lease.execution.spec.id.text());
  EXPECT_EQ(request.header("webhook-id"), order.ids.external);
  const std::vector<std::string> keys{domain::parse_webhook_secret(test_secret).value()};
  EXPECT_EQ(request.header("webhook-signature"),
            domain::webhook_signature(keys, {order.ids.external, clock_.now(), request.body}));
  EXPECT_EQ(Json::parse(request.body)["token"], "sdt1_token");
}

TEST_F(CloudTasksTest, DeliversToWhereTheTargetSays) {
  DispatchOrder order = this->order();
  order.target += "?url=https%3A%2F%2Fapi.example%2Fother";

  expect_kind<SendAccepted>(send(order));

  EXPECT_EQ(google_.tasks().at(0).http_request["url"], "https://api.example/other");
}

TEST_F(CloudTasksTest, WaitsForTheTimeOfTheTask) {
  DispatchOrder order = this->order();
  order.due = clock_.now() + 1h;

  expect_kind<SendAccepted>(send(order));

  EXPECT_EQ(google_.tasks().at(0).schedule_time, order.due);
  EXPECT_EQ(google_.deliver_due(), 0);
  clock_.advance(1h);
  EXPECT_EQ(google_.deliver_due(), 1);
  EXPECT_EQ(receiver_.requests().at(0).header("webhook-timestamp"), domain::webhook_timestamp(order.due));
}

TEST_F(CloudTasksTest, ATaskThatIsThereIsAcceptedAgain) {
  const DispatchOrder order = this->order();
  expect_kind<SendAccepted>(send(order));

  EXPECT_TRUE(expect_kind<SendAccepted>(send(order)).is_deduplicated);

  EXPECT_EQ(google_.tasks().size(), 1U);
}

TEST_F(CloudTasksTest, RemembersATaskForATimeAfterItsEnd) {
  const DispatchOrder executed = order();
  const DispatchOrder removed = order();
  send(executed);
  google_.deliver_due();
  send(removed);
  google_.remove(google_.tasks().at(0).name);

  clock_.advance(1h - 1ms);
  EXPECT_TRUE(expect_kind<SendAccepted>(send(executed)).is_deduplicated);
  EXPECT_TRUE(expect_kind<SendAccepted>(send(removed)).is_deduplicated);
  clock_.advance(1ms);
  EXPECT_FALSE(expect_kind<SendAccepted>(send(executed)).is_deduplicated);
  EXPECT_FALSE(expect_kind<SendAccepted>(send(removed)).is_deduplicated);
}

TEST_F(CloudTasksTest, ARepairedDispatchEscapesWhatIsRemembered) {
  DispatchOrder order = this->order();
  send(order);
  google_.remove(google_.tasks().at(0).name);
  order.ids.internal += ":r1";
  order.ids.external = domain::external_id("d_", order.ids.internal);

  EXPECT_FALSE(expect_kind<SendAccepted>(send(order)).is_deduplicated);
}

TEST_F(CloudTasksTest, ATaskThatIsNotTakenByItsEndpointStays) {
  received_.status = 500;
  send(order());

  EXPECT_EQ(google_.deliver_due(), 0);
  received_.status = 200;
  EXPECT_EQ(google_.deliver_due(), 1);

  EXPECT_EQ(receiver_.requests().size(), 2U);
}

TEST_F(CloudTasksTest, IsAskedLaterWhenItSaysSo) {
  google_.fail_next({429, 500, 503});

  for (const int status : {429, 500, 503}) EXPECT_EQ(expect_kind<SendLater>(send(order())).status, status);
  expect_kind<SendAccepted>(send(order()));
}

TEST_F(CloudTasksTest, AConflictThatIsNotAboutTheNameIsNoAcceptance) {
  google_.fail_next({409});

  EXPECT_EQ(expect_kind<SendLater>(send(order())).status, 409);
  EXPECT_TRUE(google_.tasks().empty());
}

TEST_F(CloudTasksTest, OtherRefusalsAreKeptWithTheirAnswer) {
  google_.fail_next({403});
  const auto forbidden = expect_kind<SendRefused>(send(order()));
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_THAT(forbidden.answer, HasSubstr("PERMISSION_DENIED"));
  DispatchOrder elsewhere = order();
  elsewhere.target = "cloudtasks://projects/p/locations/l/queues/none";
  EXPECT_EQ(expect_kind<SendRefused>(send(elsewhere)).status, 404);
  DispatchOrder large = order();
  large.lease.execution.spec.context = '"' + std::string(100 << 10, 'x') + '"';
  EXPECT_EQ(expect_kind<SendRefused>(send(large)).status, 400);
  DispatchOrder far = order();
  far.due = clock_.now() + 721h;
  EXPECT_EQ(expect_kind<SendRefused>(send(far)).status, 400);
}

TEST_F(CloudTasksTest, ANameThatItWouldNotTakeIsNotSent) {
  DispatchOrder order = this->order();
  order.ids.external = "d:1";

  EXPECT_THAT(expect_kind<SendRefused>(send(order)).why, HasSubstr("'d:1' cannot be the name"));

  EXPECT_TRUE(google_.endpoint().requests().empty());
}

TEST_F(CloudTasksTest, OneAccessTokenServesManyTasks) {
  google_.endpoint().hold();
  std::vector<std::future<SendAnswer>> answers;
  for (int i = 0; i < 20; ++i) answers.push_back(begin_send(*targets_, order()));
  google_.endpoint().wait_for(1);
  google_.endpoint().release();

  for (std::future<SendAnswer>& answer : answers) expect_kind<SendAccepted>(answer.get());

  EXPECT_EQ(google_.tokens_given(), 1);
}

TEST_F(CloudTasksTest, AnAccessTokenIsRenewedBeforeItRunsOut) {
  send(order());
  clock_.advance(55min);
  expect_kind<SendAccepted>(send(order()));  // asks for the next one beside it
  google_.endpoint().wait_for(4);
  clock_.advance(5min);

  expect_kind<SendAccepted>(send(order()));

  EXPECT_EQ(google_.tokens_given(), 2);
}

TEST_F(CloudTasksTest, AnAccessTokenThatIsRefusedIsNotUsedAgain) {
  send(order());
  google_.revoke_tokens();

  EXPECT_EQ(expect_kind<SendLater>(send(order())).status, 401);
  expect_kind<SendAccepted>(send(order()));

  EXPECT_EQ(google_.tokens_given(), 2);
}

TEST_F(CloudTasksTest, WithoutAnAccessTokenItIsTriedLater) {
  CloudTasksEndpoint other({.now = now_});
  Options options = options_;
  options.cloud_tasks.credentials = other.credentials();
  options.cloud_tasks.token_url = google_.api_url() + "/token";  // which does not know the other's key
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();

  const auto later = expect_kind<SendLater>(send_and_wait(*targets, order()));

  EXPECT_THAT(later.why, HasSubstr("no access token: 400"));
  EXPECT_THAT(later.why, HasSubstr("invalid_grant"));
}

TEST_F(CloudTasksTest, TheTimeForAnAccessTokenIsPartOfASend) {
  const Duration request = overhead_of(options_.limits);

  EXPECT_EQ(targets_->overhead_max(), 2 * request + options_.limits.answer_time);
}

TEST_F(CloudTasksTest, WhatItDidNotAnswerIsUnknown) {
  send(order());
  google_.endpoint().die_after(600);

  expect_kind<SendUnknown>(send(order()));
}

TEST_F(CloudTasksTest, ATargetMustSayWhereTasksGo) {
  Options options = options_;
  options.cloud_tasks.deliver_to.clear();
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();

  EXPECT_TRUE(targets->check(target_ + "?url=https%3A%2F%2Fapi.example"));
  EXPECT_THAT(targets->check(target_).error().message, HasSubstr("must say where Google delivers tasks to"));
  expect_kind<SendRefused>(send_and_wait(*targets, order()));
}

TEST_F(CloudTasksTest, OnlyQueuesThatAreAllowedAreUsed) {
  Options options = options_;
  options.cloud_tasks.allowed_queues = "projects/p/locations/l/queues/other, projects/p/locations/l/queues/q";
  EXPECT_TRUE(make_targets(options).value()->check(target_));
  options.cloud_tasks.allowed_queues = "projects/p/locations/l/queues/other-";
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();

  EXPECT_THAT(targets->check(target_).error().message, HasSubstr("see cloud_tasks.allowed_queues"));
  expect_kind<SendRefused>(send_and_wait(*targets, order()));
  EXPECT_TRUE(google_.endpoint().requests().empty());
}

TEST_F(CloudTasksTest, CredentialsThatAreNoneAreRefusedWithoutBeingShown) {
  for (const std::string& text :
       {std::string("{}"), std::string("secret"), std::string(R"({"type":"authorized_user"})"),
        std::string(R"({"type":"service_account","client_email":"a","token_uri":"secret"})"),
        std::string(R"({"type":"service_account","client_email":"a","token_uri":"http://a/",
                                                  "private_key":"secret"})")}) {
    Options options = options_;
    options.cloud_tasks.credentials = text;

    const auto made = make_targets(options);

    ASSERT_FALSE(made) << text;
    EXPECT_THAT(made.error().message, HasSubstr("the credentials of Cloud Tasks cannot be used"));
    EXPECT_THAT(made.error().message, testing::Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace semel::dispatch
