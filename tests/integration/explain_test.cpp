#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// POST /v1/identity/explain: what a submission would come to, without creating anything.
namespace semel::test {
namespace {

class Explain : public ServerFixture {
 protected:
  HttpAnswer explain(const Json& submission, const std::string& key = "reader") {
    return post(key, "/v1/identity/explain", submission);
  }
  const Json keyed_{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"context", 1}};
};

struct Explained {
  const char* name;
  State holder;  // of the key order-1, made by "other"
  Json members;  // of the request, beside handler, key and context
  const char* key;
  const char* would;
  int status;
  const char* words;  // of `why`
};
void PrintTo(const Explained& each, std::ostream* out) { *out << each.name; }

std::vector<Explained> all_explained() {
  const Json none = Json::object();
  const char* id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";  // the holder's
  const Json other_key{{"idempotency_key", "order-2"}};
  return {
      {"ANewIdentity", State::pending, other_key, "reader", "create", 201, "No execution holds this identity."},
      {"AnOpenHolder", State::running, none, "reader", "duplicate", 409, "an open holder is never free"},
      {"ACompletedHolder", State::completed, none, "reader", "duplicate", 409, "reuse is allow_duplicate_failed_only"},
      {"ADescribedHolder",
       State::completed,
       {{"on_duplicate", "describe"}},
       "reader",
       "duplicate",
       409,
       "describes the holder"},
      {"AReturnedHolder",
       State::completed,
       {{"on_duplicate", "return_existing"}},
       "reader",
       "duplicate",
       200,
       "the holder itself"},
      {"AnotherPayload", State::completed, {{"context", 2}}, "reader", "duplicate", 422, "payload differs"},
      {"AnotherSubject", State::completed, {{"handler", "refund"}}, "reader", "duplicate", 409, "handler"},
      {"AFailedHolder", State::failed, none, "reader", "take_over", 201, "The holder is failed"},
      {"AReusableHolder",
       State::completed,
       {{"reuse", "allow_duplicate"}},
       "reader",
       "take_over",
       201,
       "allow_duplicate"},
      {"TheSameId", State::completed, {{"task_uuid", id}}, "reader", "same_id", 200, "task_uuid exists"},
      {"TheSameIdOfOtherContent",
       State::completed,
       {{"task_uuid", id}, {"context", 2}},
       "reader",
       "same_id",
       422,
       "payload differs"},
      {"AnUnreadableHolder", State::completed, none, "maker", "duplicate", 409, "The identity is held."},
      {"AnUnreadableFailedHolder", State::failed, none, "maker", "take_over", 201, "The identity can be taken over."},
      {"AnUnreadableId", State::completed, {{"task_uuid", id}}, "maker", "same_id", 409, "tells nothing of the holder"},
      {"ItsCreatorsHolder", State::completed, none, "other", "duplicate", 409, "The holder is completed"},
  };
}

class ExplainOf : public Explain, public testing::WithParamInterface<Explained> {};

TEST_P(ExplainOf, TellsWhatTheSubmissionThenGetsAndWhy) {
  const Explained& each = GetParam();
  Json holder = keyed_;
  holder["task_uuid"] = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
  bring_to(each.holder, create("other", holder), "default");
  Json request = keyed_;
  request.update(each.members);

  const HttpAnswer explained = explain(request, each.key);
  const HttpAnswer submitted = submit(each.key, request);

  const Json body = explained.json();
  EXPECT_EQ(explained.status, 200);
  EXPECT_EQ(body["would"], each.would);
  EXPECT_EQ(body["status"], each.status);
  EXPECT_NE(body["why"].get<std::string>().find(each.words), std::string::npos) << body["why"];
  EXPECT_EQ(submitted.status, each.status) << submitted.body;
  const bool readable = std::string(each.key) != "maker" && std::string(each.would) != "create";
  EXPECT_EQ(body.contains("holder"), readable) << explained.body;
}

INSTANTIATE_TEST_SUITE_P(All, ExplainOf, testing::ValuesIn(all_explained()),
                         [](const auto& info) { return info.param.name; });

TEST_F(Explain, ShowsMaterialScopeAndHash) {
  put_template("charge", {{"identity", {{"ignore", {"/at"}}}}});
  const std::string body = R"({"namespace":"shop","name":"charge","context":{"b":1e2,"at":7,"a":"\u00e9"}})";

  const Json identity = ask({"POST", "/v1/identity/explain", "reader", body}).json()["identity"];
  const Json created = ask({"POST", "/v1/tasks", "reader", body}).json();

  EXPECT_EQ(identity["mode"], "context");
  EXPECT_EQ(identity["strategy"], "strict");
  EXPECT_EQ(identity["scope"], "template");
  EXPECT_EQ(identity["material"], "{\"a\":\"\xC3\xA9\",\"b\":100}");
  const Uuid named = domain::named_task_uuid("acme", "shop", "charge");
  const domain::HashInput input{
      domain::Mode::context, "acme", domain::Scope::template_, named.view(), "{\"a\":\"\xC3\xA9\",\"b\":100}",
      std::nullopt};
  EXPECT_EQ(identity["hash"], to_hex(domain::identity_hash(input)));
  EXPECT_EQ(task(created["task_uuid"])["identity"]["hash"], identity["hash"]);
}

TEST_F(Explain, OfAKeyShowsTheKeyAsMaterial) {
  const Json identity = explain(keyed_).json()["identity"];

  EXPECT_EQ(identity["mode"], "key");
  EXPECT_EQ(identity["scope"], "tenant");
  EXPECT_EQ(identity["material"], "order-1");
  EXPECT_EQ(identity["scope_value"], "");
}

TEST_F(Explain, OfNothingToIdentifySaysThatEachSubmissionCreates) {
  const Json body = explain({{"handler", "charge"}}).json();

  EXPECT_EQ(body["would"], "create");
  EXPECT_EQ(body["identity"]["mode"], "none");
  EXPECT_FALSE(body["identity"].contains("hash"));
}

TEST_F(Explain, ShowsTheHolderItsWindowAndWhereThePayloadDiffers) {
  const std::string id = create("other", keyed_);
  bring_to(State::completed, id, "default");
  Json request = keyed_;
  request["context"] = Json{{"a", 1}};

  const Json body = explain(request).json();

  EXPECT_EQ(body["holder"]["execution_id"], id);
  EXPECT_EQ(body["holder"]["status"], "completed");
  EXPECT_EQ(body["holder"]["window"], "7d after closing");
  EXPECT_EQ(body["holder"]["window_end"], to_rfc3339(clock_.now() + 7 * 24h));
  EXPECT_EQ(body["pointers"], Json{""});
}

TEST_F(Explain, ShowsAnUnreadableHolderNothingOfItself) {
  const std::string id = create("other", keyed_);
  const HttpAnswer pending = explain(keyed_, "maker");
  bring_to(State::completed, id, "default");

  const HttpAnswer completed = explain(keyed_, "maker");

  EXPECT_EQ(completed.body, pending.body);
  EXPECT_EQ(completed.body.find(id), std::string::npos);
}

TEST_F(Explain, CreatesAndCountsNothing) {
  explain(keyed_);
  EXPECT_EQ(lease("default"), Json());
  expect_refusal(get("reader", "/v1/tasks/by-key?key=order-1"), 404, "NOT_FOUND");

  const std::string id = create("reader", keyed_);
  explain(keyed_);

  EXPECT_EQ(task(id)["duplicates"]["at_least"], 0);
}

TEST_F(Explain, OfAnIdWhosePromiseHasEndedTellsOfANewTask) {
  const std::string id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
  const Json request{{"handler", "charge"}, {"task_uuid", id}};
  create("reader", request);
  bring_to(State::completed, id, "default");
  remove("acme", id);

  clock_.advance(24h - 1ms);
  EXPECT_EQ(explain(request).json()["would"], "same_id");
  clock_.advance(1ms);
  EXPECT_EQ(explain(request).json()["would"], "create");
  EXPECT_EQ(submit("reader", request).status, 201);
}

TEST_F(Explain, RefusesWhatASubmissionWouldBeRefused) {
  expect_refusal(explain({{"name", "unknown"}}), 404, "NOT_FOUND");
  expect_refusal(explain(Json::object()), 400, "BAD_REQUEST");
  expect_refusal(explain({{"handler", "a"}, {"idempotency_key", ""}}), 400, "BAD_REQUEST");
}

}  // namespace
}  // namespace semel::test
