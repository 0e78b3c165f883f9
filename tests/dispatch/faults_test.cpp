// What goes wrong on the way: nothing of it may look like an answer, and what was begun is told apart from what was
// not.
#include "tests/dispatch/dispatch_fixture.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::dispatch {
namespace {

using testing::HasSubstr;

class FaultsTest : public testing::Test {
 protected:
  SendAnswer answer_to(EndpointReply reply, const Options& options = test_options()) {
    reply_.set(std::move(reply));
    return send_and_wait(*make_targets(options).value(), order_for(endpoint_.url(), ids_));
  }

  static Options impatient() {
    Options options = test_options();
    options.limits.answer_time = 50ms;
    options.limits.body_time = 50ms;
    return options;
  }

  CurrentReply reply_;
  PushEndpoint endpoint_{[this](const EndpointRequest&) { return reply_.get(); }};
  test::Ids ids_;
};

TEST_F(FaultsTest, ATargetThatHangsUpLeavesItUnknown) {
  const auto unknown = expect_kind<SendUnknown>(answer_to({.act = Act::hang_up}));

  EXPECT_EQ(unknown.why, "it closed the connection without an answer");
}

TEST_F(FaultsTest, ATargetThatDiesInTheMiddleOfTheRequestLeavesItUnknown) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();
  endpoint_.die_after(100);

  expect_kind<SendUnknown>(send_and_wait(*targets, order_for(endpoint_.url(), ids_)));

  EXPECT_TRUE(endpoint_.requests().empty());
}

TEST_F(FaultsTest, ATargetThatNeverAnswersLeavesItUnknown) {
  EXPECT_EQ(expect_kind<SendUnknown>(answer_to({.act = Act::never_answer}, impatient())).why,
            "it does not answer in time");
}

TEST_F(FaultsTest, AnOrderSaysHowLongItsAnswerMayTake) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();
  reply_.set({.act = Act::never_answer});
  DispatchOrder order = order_for(endpoint_.url(), ids_);
  order.answer_time = 50ms;

  EXPECT_EQ(expect_kind<SendUnknown>(send_and_wait(*targets, order)).why, "it does not answer in time");
}

TEST_F(FaultsTest, AResultThatDoesNotComeWholeIsNone) {
  expect_kind<SendUnknown>(answer_to({.body = "1234", .act = Act::cut}));
  expect_kind<SendUnknown>(answer_to({.body = "1234", .act = Act::go_silent}, impatient()));
}

TEST_F(FaultsTest, AStatusSaysEnoughWithoutItsBody) {
  expect_kind<SendAccepted>(answer_to({.status = 202, .body = "xx", .act = Act::cut}));
  EXPECT_TRUE(expect_kind<SendAccepted>(answer_to({.status = 409, .body = "xx", .act = Act::cut})).is_deduplicated);
  expect_kind<SendLater>(answer_to({.status = 503, .body = "xx", .act = Act::go_silent}, impatient()));
  EXPECT_EQ(expect_kind<SendRefused>(answer_to({.status = 404, .body = "xx", .act = Act::cut})).status, 404);
}

TEST_F(FaultsTest, ABodyThatIsTooLargeIsNotTaken) {
  Options options = test_options();
  options.limits.answer_bytes_max = 1000;

  expect_kind<SendCompleted>(answer_to({.body = std::string(1000, '7')}, options));
  EXPECT_THAT(expect_kind<SendRefused>(answer_to({.body = std::string(1001, '7')}, options)).why,
              HasSubstr("too large"));
  expect_kind<SendAccepted>(answer_to({.status = 202, .body = std::string(100'000, '7')}, options));
  expect_kind<SendLater>(answer_to({.status = 500, .body = std::string(100'000, '7')}, options));
}

TEST_F(FaultsTest, AHeadThatIsTooLargeIsNoAnswer) {
  expect_kind<SendUnknown>(answer_to({.headers = "X: " + std::string(100'000, 'x') + "\r\n"}));
}

TEST_F(FaultsTest, ATargetThatIsNotThereGetsItLater) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();
  const std::string url = "http://127.0.0.1:" + std::to_string(test::free_port()) + "/";

  EXPECT_EQ(expect_kind<SendLater>(send_and_wait(*targets, order_for(url, ids_))).status, 0);
}

TEST_F(FaultsTest, ANameThatNobodyHasGetsItLater) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();

  EXPECT_EQ(expect_kind<SendLater>(send_and_wait(*targets, order_for("http://no-such-host.invalid/", ids_))).status, 0);
}

TEST_F(FaultsTest, AddressesThatAreNotAllowedAreNotConnectedTo) {
  Options options = test_options();
  options.limits.allowed_networks.clear();
  const std::unique_ptr<DispatchTargets> targets = make_targets(options).value();
  const std::string port = std::to_string(endpoint_.port());

  for (const std::string& host :
       {std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]"), std::string("[::ffff:127.0.0.1]"),
        std::string("0.0.0.0"), std::string("169.254.169.254")}) {
    const auto refused =
        expect_kind<SendRefused>(send_and_wait(*targets, order_for("http://" + host + ":" + port + "/", ids_)));
    EXPECT_EQ(refused.status, 0);
    EXPECT_THAT(refused.why, HasSubstr("may not be connected to")) << host;
  }
  EXPECT_EQ(endpoint_.connections(), 0U);
}

TEST_F(FaultsTest, ATargetCanBeCheckedBeforeItIsUsed) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();

  EXPECT_TRUE(targets->check("https://api.example/"));
  EXPECT_TRUE(targets->check(endpoint_.url()));
  EXPECT_THAT(targets->check("http://10.0.0.1/").error().message, HasSubstr("which is private"));
  EXPECT_THAT(targets->check("http://[fe80::1]/").error().message, HasSubstr("which is link-local"));
  EXPECT_THAT(targets->check("nonsense").error().message, HasSubstr("must begin with"));
  EXPECT_THAT(targets->check("cloudtasks://projects/p/locations/l/queues/q").error().message,
              HasSubstr("no credentials for Cloud Tasks"));
}

TEST_F(FaultsTest, AnOrderWithoutAUsableTargetIsRefused) {
  const std::unique_ptr<DispatchTargets> targets = make_targets(test_options()).value();

  expect_kind<SendRefused>(send_and_wait(*targets, order_for("", ids_)));
  expect_kind<SendRefused>(send_and_wait(*targets, order_for("cloudtasks://projects/p/locations/l/queues/q", ids_)));
}

class TlsTargetTest : public testing::Test {
 protected:
  SendAnswer answer(const std::string& host, const std::string& ca_file) {
    Options options = test_options();
    options.limits.allowed_networks = parse_networks("127.0.0.0/8, ::1").value();
    options.limits.ca_file = ca_file;
    const std::string url = "https://" + host + ":" + std::to_string(endpoint_.port()) + "/";
    return send_and_wait(*make_targets(options).value(), order_for(url, ids_));
  }

  test::TempDir folder_;
  test::Certificate certificate_ = test::make_certificate(folder_.path(), "target");
  PushEndpoint endpoint_{[](const EndpointRequest&) { return EndpointReply{.body = "1"}; }, certificate_};
  test::Ids ids_;
};

TEST_F(TlsTargetTest, IsTrustedWithItsCertificate) {
  EXPECT_EQ(expect_kind<SendCompleted>(answer("127.0.0.1", certificate_.certificate)).result, "1");
  EXPECT_EQ(expect_kind<SendCompleted>(answer("localhost", certificate_.certificate)).result, "1");
}

TEST_F(TlsTargetTest, IsNotTrustedWithoutItAndNothingIsSent) {
  EXPECT_THAT(expect_kind<SendLater>(answer("localhost", "")).why, HasSubstr("certificate verify failed"));
  EXPECT_TRUE(endpoint_.requests().empty());
}

TEST_F(TlsTargetTest, IsNotTrustedUnderAnotherName) {
  PushEndpoint elsewhere([](const EndpointRequest&) { return EndpointReply{}; }, certificate_, "127.0.0.2");
  Options options = test_options();
  options.limits.ca_file = certificate_.certificate;

  const SendAnswer answer = send_and_wait(*make_targets(options).value(), order_for(elsewhere.url(), ids_));

  EXPECT_THAT(expect_kind<SendLater>(answer).why, HasSubstr("certificate verify failed"));
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(TlsTargetTest, IsNotReachedWithoutTheFileOfCertificates) {
  expect_kind<SendLater>(answer("localhost", folder_.path() / "none.pem"));
  EXPECT_EQ(endpoint_.connections(), 0U);
}

}  // namespace
}  // namespace semel::dispatch
