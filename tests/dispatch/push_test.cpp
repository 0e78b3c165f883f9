// What an endpoint is sent, and what its answers mean.
#include "domain/webhook.hpp"
#include "tests/dispatch/dispatch_fixture.hpp"

namespace semel::dispatch {
namespace {

using testing::HasSubstr;

class PushTest : public testing::Test {
 protected:
  /// The targets call an endpoint that answers so.
  SendAnswer answer_to(EndpointReply reply) {
    reply_.set(std::move(reply));
    return send_and_wait(*targets_, order_for(endpoint_.url("/run"), ids_));
  }

  CurrentReply reply_;
  PushEndpoint endpoint_{[this](const EndpointRequest&) { return reply_.get(); }};
  test::Ids ids_;
  std::unique_ptr<DispatchTargets> targets_ = make_targets(test_options()).value();
};

TEST_F(PushTest, PostsTheLeaseWithItsCallbacks) {
  const DispatchOrder order = order_for(endpoint_.url("/run?by=semel"), ids_);
  const domain::ExecutionSpec& spec = order.lease.execution.spec;

  expect_kind<SendCompleted>(send_and_wait(*targets_, order));

  const EndpointRequest request = endpoint_.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/run?by=semel");
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("idempotency-key"), spec.id.text());
  EXPECT_EQ(request.header("semel-dispatch-id"), order.ids.internal);
  EXPECT_EQ(request.header("semel-external-id"), order.ids.external);
  EXPECT_EQ(request.header("semel-attempt"), "1");
  EXPECT_EQ(request.header("webhook-id"), order.ids.external);
  EXPECT_EQ(request.header("webhook-timestamp"), "1768910400");
  EXPECT_FALSE(request.headers.contains("webhook-signature"));
  EXPECT_THAT(request.body, HasSubstr(R"("context":{"amount":12.50})"));
  const Json body = Json::parse(request.body);
  EXPECT_EQ(body["task_uuid"], spec.id.text());
  EXPECT_EQ(body["attempt_id"], order.lease.attempt_id.text());
  EXPECT_EQ(body["handler"], "charge_card");
  EXPECT_EQ(body["dispatch_id"], order.ids.internal);
  EXPECT_EQ(body["effect_key"], spec.id.text());
  EXPECT_EQ(body["token"], "sdt1_token");
  for (const char* name : {"started", "heartbeat", "completed", "failed"})
    EXPECT_EQ(body["callbacks"][name], order.callback_url + "/" + name);
}

TEST_F(PushTest, NamesTheDispatchAsTheOrderDoes) {
  DispatchOrder order = order_for(endpoint_.url(), ids_);
  order.ids = {"dispatch:run:key:1:r2", "d_repaired"};

  send_and_wait(*targets_, order);

  EXPECT_EQ(endpoint_.requests().at(0).header("webhook-id"), "d_repaired");
  EXPECT_EQ(Json::parse(endpoint_.requests().at(0).body)["dispatch_id"], "dispatch:run:key:1:r2");
}

TEST_F(PushTest, PassesOnTheTrace) {
  DispatchOrder order = order_for(endpoint_.url(), ids_);
  order.lease.execution.spec.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  send_and_wait(*targets_, order);

  EXPECT_EQ(endpoint_.requests().at(0).header("traceparent"),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
}

TEST_F(PushTest, NoIdentifierCanEndItsHeader) {
  DispatchOrder order = order_for(endpoint_.url(), ids_);
  order.ids.internal = "dispatch:a\r\nX-Evil: 1:\xc3\xa4";

  send_and_wait(*targets_, order);

  EXPECT_EQ(endpoint_.requests().at(0).header("semel-dispatch-id"), "dispatch:a%0D%0AX-Evil:%201:%C3%A4");
  EXPECT_FALSE(endpoint_.requests().at(0).headers.contains("x-evil"));
}

TEST_F(PushTest, ASuccessCompletesWithTheBodyAsItIs) {
  EXPECT_EQ(expect_kind<SendCompleted>(answer_to({.body = " {\"n\": 1.50}\n"})).result, "{\"n\": 1.50}");
  EXPECT_EQ(expect_kind<SendCompleted>(answer_to({.status = 201, .body = "null"})).result, "null");
  EXPECT_EQ(expect_kind<SendCompleted>(answer_to({.status = 204})).result, std::nullopt);
  EXPECT_EQ(expect_kind<SendCompleted>(answer_to({.body = "\n"})).result, std::nullopt);
}

TEST_F(PushTest, ASuccessThatIsNoJsonIsRefused) {
  for (const char* body : {"<html>Please log in</html>", "OK", "{\"a\":1} x", "{\"a\":1,\"a\":2}", "\"\xff\""}) {
    const auto refused = expect_kind<SendRefused>(answer_to({.body = body}));
    EXPECT_EQ(refused.status, 200);
    EXPECT_THAT(refused.why, HasSubstr("not JSON")) << body;
  }
}

TEST_F(PushTest, 202SaysThatACallbackWillCome) {
  EXPECT_FALSE(expect_kind<SendAccepted>(answer_to({.status = 202, .body = "queued"})).is_deduplicated);
}

TEST_F(PushTest, AConflictSaysThatItIsThereAlready) {
  EXPECT_TRUE(expect_kind<SendAccepted>(answer_to({.status = 409, .body = "seen"})).is_deduplicated);
}

TEST_F(PushTest, IsToldToComeLater) {
  for (const int status : {408, 425, 429, 500, 502, 503, 504, 599}) {
    const auto later = expect_kind<SendLater>(answer_to({.status = status, .body = "no"}));
    EXPECT_EQ(later.status, status);
    EXPECT_EQ(later.retry_after, std::nullopt);
  }
  EXPECT_EQ(expect_kind<SendLater>(answer_to({.status = 429, .headers = "Retry-After: 7\r\n"})).retry_after, 7s);
  EXPECT_EQ(expect_kind<SendLater>(answer_to({.status = 503, .headers = "Retry-After: soon\r\n"})).retry_after,
            std::nullopt);
}

TEST_F(PushTest, OtherRefusalsAreKeptWithTheirAnswer) {
  for (const int status : {400, 401, 403, 404, 410, 413, 422}) {
    const auto refused = expect_kind<SendRefused>(answer_to({.status = status, .body = "no\x01such \xff thing"}));
    EXPECT_EQ(refused.status, status);
    EXPECT_EQ(refused.answer, "no such \uFFFD thing");
  }
  EXPECT_EQ(expect_kind<SendRefused>(answer_to({.status = 400, .body = std::string(9000, 'x')})).answer.size(), 1000U);
}

TEST_F(PushTest, FollowsNoRedirect) {
  PushEndpoint elsewhere([](const EndpointRequest&) { return EndpointReply{}; });
  for (const int status : {301, 302, 303, 307, 308}) {
    const auto refused =
        expect_kind<SendRefused>(answer_to({.status = status, .headers = "Location: " + elsewhere.url() + "\r\n"}));
    EXPECT_EQ(refused.status, status);
    EXPECT_THAT(refused.why, HasSubstr("redirects are not followed"));
  }
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(PushTest, WaitsForWhatComesAfterAnInterimAnswer) {
  // The parser of the endpoint's client sees the interim head first, then the answer.
  const std::string interim = "Link: </a>\r\n\r\nHTTP/1.1 200 Status\r\n";

  EXPECT_EQ(expect_kind<SendCompleted>(answer_to({.status = 103, .body = "7", .headers = interim})).result, "7");
}

class SignedPushTest : public testing::Test {
 protected:
  EndpointRequest request_of(const SigningSecrets& secrets, const std::string& queue) {
    Options options = test_options();
    options.signing_secrets = secrets;
    DispatchOrder order = order_for(endpoint_.url(), ids_);
    order.lease.execution.spec.queue = queue;
    send_and_wait(*make_targets(std::move(options)).value(), order);
    return endpoint_.requests().back();
  }

  static std::string signature_of(const std::vector<std::string>& secrets, const EndpointRequest& request) {
    std::vector<std::string> keys;
    for (const std::string& secret : secrets) keys.push_back(domain::parse_webhook_secret(secret).value());
    return domain::webhook_signature(keys, {request.header("webhook-id"), ManualClock::start, request.body});
  }

  const std::string other_secret_ = "whsec_" + std::string(32, 'B');
  PushEndpoint endpoint_{[](const EndpointRequest&) { return EndpointReply{}; }};
  test::Ids ids_;
};

TEST_F(SignedPushTest, SignsWhatItSends) {
  const EndpointRequest request = request_of({{"default", {test_secret}}}, "default");

  EXPECT_EQ(request.header("webhook-signature"), signature_of({test_secret}, request));
}

TEST_F(SignedPushTest, SignsWithAllSecretsWhileTheyAreChanged) {
  const EndpointRequest request = request_of({{"default", {other_secret_, test_secret}}}, "default");

  EXPECT_EQ(request.header("webhook-signature"), signature_of({other_secret_, test_secret}, request));
}

TEST_F(SignedPushTest, AQueueAndATenantHaveTheirOwnSecrets) {
  const std::string third = "whsec_" + std::string(32, 'C');
  const SigningSecrets secrets{{"default", {test_secret}}, {"acme", {other_secret_}}, {"acme/mail", {third}}};

  const EndpointRequest of_queue = request_of(secrets, "mail");
  const EndpointRequest of_tenant = request_of(secrets, "default");
  const EndpointRequest of_server = request_of({{"default", {test_secret}}, {"other", {third}}}, "mail");

  EXPECT_EQ(of_queue.header("webhook-signature"), signature_of({third}, of_queue));
  EXPECT_EQ(of_tenant.header("webhook-signature"), signature_of({other_secret_}, of_tenant));
  EXPECT_EQ(of_server.header("webhook-signature"), signature_of({test_secret}, of_server));
}

TEST_F(SignedPushTest, ASecretThatIsNoneIsRefusedWithoutBeingShown) {
  Options options = test_options();
  options.signing_secrets = {{"acme", {"hush"}}};

  const auto made = make_targets(std::move(options));

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("the signing secret of 'acme' cannot be used"));
  EXPECT_THAT(made.error().message, testing::Not(HasSubstr("hush")));
}

}  // namespace
}  // namespace semel::dispatch
