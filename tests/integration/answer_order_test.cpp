#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Who is another subject, and which answer comes first: takeover, then the opaque 409, then the other
/// subject, then the other payload, then the mode.
namespace semel::test {
namespace {

class OtherSubject : public ServerFixture {
 protected:
  void SetUp() override {
    ServerFixture::SetUp();
    const Json by_tenant{{"identity", {{"strategy", "caller_provided"}, {"scope", "tenant"}}}};
    put_template("charge", by_tenant);
    put_template("refund", by_tenant);
    Json newer = by_tenant;
    newer.update({{"version", "2.0.0"}, {"handler", "charge_anew"}});
    put_template("charge", newer);
  }

  static Json named(const std::string& name, const std::string& version = "1.0.0") {
    return {{"namespace", "shop"}, {"name", name}, {"version", version}, {"idempotency_key", "order-1"}};
  }
  static Json ad_hoc(const std::string& handler) { return {{"handler", handler}, {"idempotency_key", "order-1"}}; }
};

struct SubjectPair {
  const char* name;
  Json first;
  Json second;
  bool same;
};
void PrintTo(const SubjectPair& pair, std::ostream* out) { *out << pair.name; }

class OtherSubjectOf : public OtherSubject, public testing::WithParamInterface<SubjectPair> {
 public:
  static std::vector<SubjectPair> all() {
    return {{"AnotherHandler", ad_hoc("charge"), ad_hoc("refund"), false},
            {"TheSameHandler", ad_hoc("charge"), ad_hoc("charge"), true},
            {"AnAdHocTaskOfANamedTasksHandler", named("charge"), ad_hoc("charge"), false},
            {"ANamedTaskOfAnAdHocTasksHandler", ad_hoc("charge"), named("charge"), false},
            {"AnotherNamedTask", named("charge"), named("refund"), false},
            {"AnotherVersionOfANamedTask", named("charge"), named("charge", "2.0.0"), true}};
  }
};

TEST_P(OtherSubjectOf, AKeyIsToldApartFromTheSame) {
  create("reader", GetParam().first);

  const HttpAnswer answer = submit("reader", GetParam().second);

  if (GetParam().same) return expect_opaque(answer);
  expect_refusal(answer, 409, "IDEMPOTENCY_KEY_CONFLICT", "another named task or another handler");
  EXPECT_EQ(answer.json()["error"].size(), 2u) << answer.body;
}

INSTANTIATE_TEST_SUITE_P(Pairs, OtherSubjectOf, testing::ValuesIn(OtherSubjectOf::all()),
                         [](const auto& info) { return info.param.name; });

TEST_F(OtherSubject, IsToldOfATombstoneToo) {
  const std::string holder = create("reader", named("charge"));
  bring_to(State::completed, holder, "default");

  remove("acme", holder);

  expect_refusal(submit("reader", named("refund")), 409, "IDEMPOTENCY_KEY_CONFLICT");
  expect_opaque(submit("reader", named("charge")));
}

/// Every way in which a request can be refused at once; the first reason in the order must answer.
struct Reasons {
  const char* name;
  bool takeover;
  bool unreadable;
  bool other_subject;
  bool other_payload;
  int status;
  const char* code;
};
void PrintTo(const Reasons& reasons, std::ostream* out) { *out << reasons.name; }

class AnswerOrder : public OtherSubject, public testing::WithParamInterface<Reasons> {};

TEST_P(AnswerOrder, TheFirstReasonAnswersInEveryMode) {
  const Reasons& reasons = GetParam();
  const char* asker = reasons.unreadable ? "maker" : "reader";
  Json request = ad_hoc(reasons.other_subject ? "refund" : "charge");
  request["context"] = reasons.other_payload ? 2 : 1;

  for (const char* mode : {"reject", "describe", "return_existing"}) {
    SCOPED_TRACE(mode);
    const std::string key = std::string("order-") + mode;
    const std::string holder =
        create("other", {{"handler", "charge"}, {"idempotency_key", key}, {"queue", mode}, {"context", 1}});
    if (reasons.takeover) bring_to(State::failed, holder, mode);
    request.update({{"idempotency_key", key}, {"on_duplicate", mode}});

    const HttpAnswer answer = submit(asker, request);

    EXPECT_EQ(answer.status, reasons.status) << answer.body;
    EXPECT_EQ(answer.code(), reasons.code) << answer.body;
    if (reasons.code == std::string("CONFLICT")) expect_opaque(answer);
  }
}

constexpr const char* conflict = "CONFLICT";
constexpr const char* key_conflict = "IDEMPOTENCY_KEY_CONFLICT";
constexpr const char* mismatch = "IDEMPOTENCY_KEY_MISMATCH";
INSTANTIATE_TEST_SUITE_P(
    Reasons, AnswerOrder,
    testing::Values(Reasons{"TakeoverBeatsAll", true, true, true, true, 201, ""},
                    Reasons{"TakeoverBeatsTheOtherSubject", true, false, true, false, 201, ""},
                    Reasons{"TakeoverBeatsTheOtherPayload", true, false, false, true, 201, ""},
                    Reasons{"UnreadableBeatsTheRest", false, true, true, true, 409, conflict},
                    Reasons{"UnreadableBeatsTheOtherSubject", false, true, true, false, 409, conflict},
                    Reasons{"UnreadableBeatsTheOtherPayload", false, true, false, true, 409, conflict},
                    Reasons{"UnreadableBeatsTheMode", false, true, false, false, 409, conflict},
                    Reasons{"OtherSubjectBeatsTheOtherPayload", false, false, true, true, 409, key_conflict},
                    Reasons{"OtherSubjectBeatsTheMode", false, false, true, false, 409, key_conflict},
                    Reasons{"OtherPayloadBeatsTheMode", false, false, false, true, 422, mismatch}),
    [](const auto& info) { return info.param.name; });

TEST_F(OtherSubject, BeatsAPayloadMismatchThatIsIgnored) {
  create("reader", ad_hoc("charge"));
  Json request = ad_hoc("refund");
  request.update({{"context", 2}, {"on_payload_mismatch", "ignore"}, {"on_duplicate", "return_existing"}});

  expect_refusal(submit("reader", request), 409, "IDEMPOTENCY_KEY_CONFLICT");
}

}  // namespace
}  // namespace semel::test
