#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// The same key with another payload.
namespace semel::test {
namespace {

class Mismatch : public ServerFixture {
 protected:
  /// Contexts are texts here: Json would turn their numbers into doubles.
  HttpAnswer send(const std::string& context, const std::string& members = "") {
    return ask({"POST", "/v1/tasks", "reader",
                R"({"handler":"charge","idempotency_key":"order-1","context":)" + context + members + "}"});
  }

  static void expect_pointers(const HttpAnswer& answer, const Json& pointers) {
    EXPECT_EQ(answer.status, 422) << answer.body;
    EXPECT_EQ(answer.json(), (Json{{"error",
                                    {{"code", "IDEMPOTENCY_KEY_MISMATCH"},
                                     {"message", "This idempotency key was used with other content."},
                                     {"pointers", pointers}}}}));
  }
};

struct ContextPair {
  const char* name;
  const char* first;
  const char* second;
  Json pointers;  // null = the same content
};
void PrintTo(const ContextPair& pair, std::ostream* out) { *out << pair.name; }

class MismatchOf : public Mismatch, public testing::WithParamInterface<ContextPair> {};

TEST_P(MismatchOf, ContextsIsToldByPointersOrIsNone) {
  ASSERT_EQ(send(GetParam().first).status, 201);

  const HttpAnswer answer = send(GetParam().second);

  if (GetParam().pointers.is_null()) return expect_opaque(answer);
  expect_pointers(answer, GetParam().pointers);
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, MismatchOf,
    testing::Values(
        ContextPair{"ADifferentMember", R"({"a":1,"b":2})", R"({"a":1,"b":3})", {"/b"}},
        ContextPair{"ANestedMember", R"({"a":{"b":[1,{"c":2}]}})", R"({"a":{"b":[1,{"c":3}]}})", {"/a/b/1/c"}},
        ContextPair{"AMissingAndANewMember", R"({"a":1})", R"({"b":1})", {"/a", "/b"}},
        ContextPair{"TheWholeValue", "1", "2", {""}}, ContextPair{"NullAndAnEmptyObject", "null", "{}", {""}},
        ContextPair{"NumbersBeyondDoubles", R"({"n":9007199254740993})", R"({"n":9007199254740992})", {"/n"}},
        ContextPair{"TheSameNumber", R"({"n":100})", R"({"n":1e2})", {}},
        ContextPair{"TheSameNumberWithAFraction", R"({"n":100})", R"({"n":100.0})", {}},
        ContextPair{"NegativeZero", R"({"n":0})", R"({"n":-0})", {}},
        ContextPair{"AnotherOrderOfMembers", R"({"a":1,"b":2})", R"({ "b" : 2, "a" : 1 })", {}},
        ContextPair{"AnotherEscape", R"({"a":"\u00e9"})", "{\"a\":\"\xC3\xA9\"}", {}},
        ContextPair{"AnotherOrderOfElements", "[1,2]", "[2,1]", {"/0", "/1"}}),
    [](const auto& info) { return info.param.name; });

TEST_F(Mismatch, TellsNoValues) {
  ASSERT_EQ(send(R"({"card":"first-secret","who":{"name":"ann"}})").status, 201);

  const HttpAnswer answer = send(R"({"card":"second-secret","who":{"name":"ann"}})");

  expect_pointers(answer, {"/card"});
  EXPECT_EQ(answer.body.find("secret"), std::string::npos) << answer.body;
}

TEST_F(Mismatch, TellsAtMostFiftyPlaces) {
  Json first = Json::array();
  Json second = Json::array();
  for (int i = 0; i < 80; ++i) {
    first.push_back(i);
    second.push_back(i + 1);
  }
  ASSERT_EQ(send(first.dump()).status, 201);

  EXPECT_EQ(send(second.dump()).json()["error"]["pointers"].size(), 50u);
}

TEST_F(Mismatch, IsNoneWhenOnlyOptionsDiffer) {
  ASSERT_EQ(send("{}").status, 201);

  expect_opaque(send("{}", R"(,"priority":50,"labels":{"a":"b"},"queue":"fast","delay":"5m")"));
}

TEST_F(Mismatch, CanBeIgnoredByTheRequest) {
  const HttpAnswer first = send(R"({"a":1})");

  const HttpAnswer answer = send(R"({"a":2})", R"(,"on_payload_mismatch":"ignore","on_duplicate":"return_existing")");

  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["task_uuid"], first.json()["task_uuid"]);
}

TEST_F(Mismatch, CanBeIgnoredByTheTemplateUnlessTheRequestSaysOtherwise) {
  put_template("pay", {{"identity", {{"strategy", "caller_provided"}, {"on_payload_mismatch", "ignore"}}}});
  Json request{{"namespace", "shop"}, {"name", "pay"}, {"idempotency_key", "order-1"}, {"context", {{"a", 1}}}};
  create("reader", request);
  request["context"]["a"] = 2;
  expect_opaque(submit("reader", request));

  request["on_payload_mismatch"] = "reject";

  expect_refusal(submit("reader", request), 422, "IDEMPOTENCY_KEY_MISMATCH");
}

struct Refinement {
  const char* name;
  Json identity;
  const char* same;   // as {"order":{"id":7,"note":"x"},"at":1}, where the refinement looks
  const char* other;  // not the same
  Json pointers;
};
void PrintTo(const Refinement& refinement, std::ostream* out) { *out << refinement.name; }

class MismatchOfRefined : public Mismatch, public testing::WithParamInterface<Refinement> {
 protected:
  HttpAnswer send_named(const std::string& context) {
    return ask({"POST", "/v1/tasks", "reader",
                R"({"namespace":"shop","name":"pay","idempotency_key":"order-1","context":)" + context + "}"});
  }
};

TEST_P(MismatchOfRefined, LooksOnlyWhereTheTemplateLooks) {
  put_template("pay", {{"identity", GetParam().identity}});
  ASSERT_EQ(send_named(R"({"order":{"id":7,"note":"x"},"at":1})").status, 201);

  expect_opaque(send_named(GetParam().same));
  expect_pointers(send_named(GetParam().other), GetParam().pointers);
}

INSTANTIATE_TEST_SUITE_P(All, MismatchOfRefined,
                         testing::Values(Refinement{"ByFields",
                                                    {{"fields", {"/order/id"}}},
                                                    R"({"order":{"id":7,"note":"y"},"at":2,"new":true})",
                                                    R"({"order":{"id":8,"note":"y"},"at":2})",
                                                    {"/order/id"}},
                                         Refinement{"ByAFieldThatIsMissing",
                                                    {{"fields", {"/order/id", "/at"}}},
                                                    R"({"order":{"id":7},"at":1.0})",
                                                    R"({"order":{"id":7}})",
                                                    {"/at"}},
                                         Refinement{"ByIgnoring",
                                                    {{"ignore", {"/at", "/order/note"}}},
                                                    R"({"order":{"id":7,"note":"y"},"at":2})",
                                                    R"({"order":{"id":8,"note":"y"},"at":2,"new":1})",
                                                    {"/new", "/order/id"}}),
                         [](const auto& info) { return info.param.name; });

TEST_F(Mismatch, WithATombstoneHasNoPointers) {
  const HttpAnswer first = send(R"({"a":1})");
  bring_to(State::completed, first.json()["task_uuid"], "default");

  remove("acme", first.json()["task_uuid"]);

  expect_pointers(send(R"({"a":2})"), Json::array());
  expect_opaque(send(R"({"a":1.0})"));
}

}  // namespace
}  // namespace semel::test
