#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Which material identifies a request: a key by any of its names, else what the template's strategy says.
namespace semel::test {
namespace {

struct Twice {
  const char* name;
  Json identity;  // of the template; null = ad-hoc
  Json first;     // members beside name or handler
  Json second;
  int status;  // of the second
};
void PrintTo(const Twice& twice, std::ostream* out) { *out << twice.name; }

Json keyed(const std::string& key, const Json& context = Json::object()) {
  return {{"idempotency_key", key}, {"context", context}};
}
Json with_context(const Json& context) { return {{"context", context}}; }

std::vector<Twice> all_strategies() {
  const Json strict{{"strategy", "strict"}};
  const Json caller{{"strategy", "caller_provided"}};
  const Json unique{{"strategy", "always_unique"}};
  const Json unset = Json::object();
  const Json none = Json::object();
  return {
      {"StrictIsTheSameContext", strict, with_context({{"a", 1}}), with_context({{"a", 1}}), 409},
      {"StrictIsAnotherContext", strict, with_context({{"a", 1}}), with_context({{"a", 2}}), 201},
      {"StrictIsNoContextAndAnEmptyOne", strict, none, with_context(Json::object()), 409},
      {"StrictIsNoContextAndNull", strict, none, with_context(nullptr), 201},
      {"StrictIsTheDefault", unset, with_context({{"a", 1}}), with_context({{"a", 1}}), 409},
      {"StrictWithTheSameKeyAndContext", strict, keyed("k"), keyed("k"), 409},
      {"StrictWithTheSameKeyAndAnotherContext", strict, keyed("k", 1), keyed("k", 2), 422},
      {"StrictWithAnotherKeyAndTheSameContext", strict, keyed("k"), keyed("l"), 201},
      {"StrictByContextAndByAKeyOfTheSameText", strict, none, keyed("{}"), 201},
      {"CallerProvidedIsTheSameKey", caller, keyed("k"), keyed("k"), 409},
      {"CallerProvidedIsAnotherKey", caller, keyed("k"), keyed("l"), 201},
      {"CallerProvidedNeedsAKey", caller, keyed("k"), none, 400},
      {"AlwaysUniqueIsNeverTheSame", unique, none, none, 201},
      {"AlwaysUniqueWithTheSameKey", unique, keyed("k"), keyed("k"), 409},
      {"AlwaysUniqueWithAndWithoutAKey", unique, keyed("k"), none, 201},
      {"AdHocIsNeverTheSame", Json(), none, none, 201},
      {"AdHocWithTheSameKey", Json(), keyed("k"), keyed("k"), 409},
      {"FieldsLookAtNothingElse",
       {{"fields", {"/a"}}},
       with_context({{"a", 1}, {"b", 1}}),
       with_context({{"a", 1}}),
       409},
      {"FieldsTellApart", {{"fields", {"/a"}}}, with_context({{"a", 1}}), with_context({{"a", 2}}), 201},
      {"FieldsAbsentOnBothSides", {{"fields", {"/a"}}}, with_context(1), with_context({{"b", 2}}), 409},
      {"FieldsAbsentAndNull", {{"fields", {"/a"}}}, none, with_context({{"a", nullptr}}), 201},
      {"IgnoreLooksAway", {{"ignore", {"/b"}}}, with_context({{"a", 1}, {"b", 1}}), with_context({{"a", 1}}), 409},
      {"IgnoreTellsTheRestApart", {{"ignore", {"/b"}}}, with_context({{"a", 1}}), with_context({{"c", 1}}), 201},
      {"KeysAreCaseSensitive", caller, keyed("Order"), keyed("order"), 201},
      {"KeysKeepTheirSpaces", caller, keyed("a b"), keyed("a  b"), 201},
      {"KeysAreBytesNotLetters", caller, keyed("\xC3\xA9"), keyed("e\xCC\x81"), 201},
      {"TaskIdIsTheKey", caller, keyed("k"), {{"task_id", "k"}}, 409},
      {"TaskIdAndTheSameKey", caller, keyed("k"), {{"task_id", "k"}, {"idempotency_key", "k"}}, 409},
      {"TaskIdAndAnotherKey", caller, keyed("k"), {{"task_id", "l"}, {"idempotency_key", "k"}}, 400},
      {"KeysOfTheLargestSize", caller, keyed(std::string(255, 'k')), keyed(std::string(255, 'k')), 409},
  };
}

class Strategies : public ServerFixture, public testing::WithParamInterface<Twice> {};

TEST_P(Strategies, ASecondSubmissionIsTheSameOrNot) {
  Json subject{{"handler", "charge"}};
  if (!GetParam().identity.is_null()) {
    put_template("charge", {{"identity", GetParam().identity}});
    subject = {{"namespace", "shop"}, {"name", "charge"}};
  }
  Json first = subject;
  first.update(GetParam().first);
  Json second = subject;
  second.update(GetParam().second);
  create("reader", first);

  const HttpAnswer answer = submit("reader", second);

  EXPECT_EQ(answer.status, GetParam().status) << answer.body;
  if (GetParam().status == 409) expect_opaque(answer);
}

INSTANTIATE_TEST_SUITE_P(All, Strategies, testing::ValuesIn(all_strategies()),
                         [](const auto& info) { return info.param.name; });

class Strategy : public ServerFixture {
 protected:
  const Json named_{{"namespace", "shop"}, {"name", "charge"}};
};

TEST_F(Strategy, CallerProvidedWithoutAKeySaysWhatIsMissing) {
  put_template("charge", {{"identity_strategy", "caller_provided"}});

  const HttpAnswer answer = submit("reader", named_);

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body,
            R"({"error":{"code":"BAD_REQUEST","message":"idempotency_key is required when named task uses )"
            R"(CallerProvided identity strategy"}})");
}

TEST_F(Strategy, AnswersTellTheTaskIdAndWhetherAKeyWasUsedAndIsNew) {
  const Json request{{"handler", "charge"}, {"task_id", "order-1"}, {"on_duplicate", "return_existing"}};
  const Json created = submit("reader", request).json();
  const Json existing = submit("reader", request).json();
  const Json without = submit("reader", {{"handler", "charge"}}).json();

  EXPECT_EQ(created["task_id"], "order-1");
  EXPECT_EQ(created["idempotency_key_used"], true);
  EXPECT_EQ(created["idempotency_key_new"], true);
  EXPECT_EQ(existing["task_id"], "order-1");
  EXPECT_EQ(existing["idempotency_key_used"], true);
  EXPECT_EQ(existing["idempotency_key_new"], false);
  EXPECT_EQ(without["task_id"], without["task_uuid"]);
  EXPECT_EQ(without["idempotency_key_used"], false);
  EXPECT_EQ(without["idempotency_key_new"], false);
}

struct HeaderCase {
  const char* header;
  const char* key;   // the same key as a member
  int status_alone;  // when sent after the member's
};

TEST_F(Strategy, TheHeaderIsTheKeyQuotedOrRaw) {
  const std::vector<HeaderCase> cases{
      {"order-1", "order-1", 409},
      {"\"order-2\"", "order-2", 409},
      {"   order-3  ", "order-3", 409},
      {"  \"order-4\" ", "order-4", 409},
      {R"("a\"b\\c")", R"(a"b\c)", 409},
      {R"(a"b)", R"(a"b)", 409},
      {"\" spaced \"", " spaced ", 409},
      {"\xC3\xA9", "\xC3\xA9", 409},
      {"order-5", "\"order-5\"", 201},
      {"\"unclosed", "unclosed", 400},
      {R"("bad \x escape")", "bad", 400},
      {"\"two\" words", "two", 400},
      {"\"\"", "empty", 400},
      {"\"\xC3\xA9\"", "e", 400},
  };
  for (const HeaderCase& each : cases) {
    SCOPED_TRACE(each.header);
    create("reader", {{"handler", "charge"}, {"idempotency_key", each.key}});

    const HttpAnswer answer =
        ask({"POST", "/v1/tasks", "reader", R"({"handler":"charge"})", {{"Idempotency-Key", each.header}}});

    EXPECT_EQ(answer.status, each.status_alone) << answer.body;
    if (each.status_alone == 400) expect_refusal(answer, 400, "BAD_REQUEST", "the Idempotency-Key header");
  }
}

TEST_F(Strategy, AHeaderAndABodyThatDifferAreRefusedAndEqualOnesAreOneKey) {
  const std::string body = R"({"handler":"charge","idempotency_key":"k"})";

  const HttpAnswer equal = ask({"POST", "/v1/tasks", "reader", body, {{"Idempotency-Key", "\"k\""}}});
  const HttpAnswer different = ask({"POST", "/v1/tasks", "reader", body, {{"Idempotency-Key", "l"}}});

  EXPECT_EQ(equal.status, 201) << equal.body;
  expect_refusal(different, 400, "BAD_REQUEST", "differ; send one of them");
}

TEST_F(Strategy, ALockedTemplateRefusesWhatWouldChangeItsIdentity) {
  struct Change {
    const char* strategy;
    Json members;
    int status;
  };
  const std::vector<Change> changes{
      {"strict", {{"reuse", "allow_duplicate"}}, 400},
      {"strict", {{"on_payload_mismatch", "ignore"}}, 400},
      {"strict", {{"idempotency_key_ttl_seconds", 60}}, 400},
      {"strict", {{"idempotency_key", "k"}}, 400},
      {"strict", {{"task_id", "k"}}, 400},
      {"strict", {{"on_duplicate", "describe"}}, 201},
      {"always_unique", {{"idempotency_key", "k"}}, 400},
      {"always_unique", Json::object(), 201},
      {"caller_provided", {{"idempotency_key", "k"}}, 201},
      {"caller_provided", {{"idempotency_key", "l"}, {"reuse", "reject_duplicate"}}, 400},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(std::string(change.strategy) + " " + change.members.dump());
    put_template(change.strategy, {{"identity", {{"strategy", change.strategy}, {"locked", true}}}});
    Json request{{"namespace", "shop"}, {"name", change.strategy}};
    request.update(change.members);

    const HttpAnswer answer = submit("reader", request);

    EXPECT_EQ(answer.status, change.status) << answer.body;
    if (change.status == 400) expect_refusal(answer, 400, "BAD_REQUEST", "is locked");
  }
}

TEST_F(Strategy, PoliciesOfTheRequestComeBeforeThoseOfTheTemplate) {
  const Json identity{{"strategy", "caller_provided"}, {"reuse", "allow_duplicate"}, {"on_duplicate", "describe"}};
  put_template("charge", {{"identity", identity}});
  Json request = named_;
  request["idempotency_key"] = "k";
  bring_to(State::completed, create("reader", request), "default");

  Json strictly = request;
  strictly["reuse"] = "reject_duplicate";
  expect_refusal(submit("reader", strictly), 409, "TASK_ALREADY_COMPLETED");
  strictly["on_duplicate"] = "return_existing";
  EXPECT_EQ(submit("reader", strictly).status, 200);
  EXPECT_EQ(submit("reader", request).status, 201);
}

}  // namespace
}  // namespace semel::test
