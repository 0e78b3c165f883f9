#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Looking identities up by key, and releasing them.
namespace semel::test {
namespace {

class ByKey : public ServerFixture {
 protected:
  HttpAnswer find(const std::string& query, const std::string& key = "reader") {
    return get(key, "/v1/tasks/by-key?" + query);
  }
  const Json keyed_{{"handler", "charge"}, {"idempotency_key", "order-1"}};
};

TEST_F(ByKey, FindsTheHolderInAnyState) {
  for (const State state :
       {State::pending, State::running, State::completed, State::failed, State::cancelled, State::timed_out}) {
    const std::string name(domain::name_of(state));
    const std::string id = create("reader", {{"handler", "charge"}, {"idempotency_key", name}, {"queue", name}});
    bring_to(state, id, name);

    const Json found = find("key=" + name).json();

    EXPECT_EQ(found["held"], true);
    EXPECT_EQ(found["task_uuid"], id);
    EXPECT_EQ(found["status"], name);
    EXPECT_EQ(found["holder"]["execution_id"], id);
    EXPECT_EQ(found["holder"]["status"], name);
  }
}

TEST_F(ByKey, FindsTheNewestHolder) {
  Json again = keyed_;
  again["reuse"] = "allow_duplicate";
  const std::string first = create("reader", keyed_);
  bring_to(State::completed, first, "default");
  const std::string second = create("reader", again);

  EXPECT_EQ(find("key=order-1").json()["task_uuid"], second);
}

TEST_F(ByKey, DecodesTheKey) {
  const std::string id = create("reader", {{"handler", "charge"}, {"idempotency_key", "a b&c=\xC3\xA9%"}});

  EXPECT_EQ(find("key=a+b%26c%3D%C3%A9%25").json()["task_uuid"], id);
}

struct Scoped {
  const char* scope;
  const char* query;  // beside the key
};

TEST_F(ByKey, LooksInTheScopeOfTheTemplate) {
  for (const Scoped& each : {Scoped{"template", "&namespace=shop&name=template"},
                             Scoped{"template_version", "&namespace=shop&name=template_version&version=1.0.0"},
                             Scoped{"queue", "&queue=fast"}, Scoped{"tenant", ""}}) {
    SCOPED_TRACE(each.scope);
    put_template(each.scope, {{"identity", {{"strategy", "caller_provided"}, {"scope", each.scope}}}});
    const std::string key = std::string("in-") + each.scope;
    const std::string id =
        create("reader", {{"namespace", "shop"}, {"name", each.scope}, {"idempotency_key", key}, {"queue", "fast"}});

    EXPECT_EQ(find("key=" + key + each.query).json()["task_uuid"], id);
    EXPECT_EQ(find("key=" + key + "&queue=slow").status, 404);
    EXPECT_EQ(find("key=" + key, "reader").status, std::string(each.scope) == "tenant" ? 200 : 404);
  }
}

TEST_F(ByKey, SaysThatAnIdentityIsNoLongerHeldAfterItsWindow) {
  Json request = keyed_;
  request["idempotency_key_ttl_seconds"] = 60;
  bring_to(State::completed, create("reader", request), "default");

  clock_.advance(60s - 1ms);
  EXPECT_EQ(find("key=order-1").json()["held"], true);
  clock_.advance(1ms);
  EXPECT_EQ(find("key=order-1").json()["held"], false);
}

TEST_F(ByKey, FindsATombstone) {
  const std::string id = create("reader", keyed_);
  bring_to(State::completed, id, "default");
  remove("acme", id);

  const Json found = find("key=order-1").json();

  EXPECT_EQ(found["held"], true);
  EXPECT_EQ(found["holder"]["execution_id"], id);
  EXPECT_EQ(found["holder"]["result_expired"], true);
}

TEST_F(ByKey, AnswersAlikeForWhatIsUnknownAndWhatMayNotBeRead) {
  create("other", keyed_);

  const HttpAnswer unknown = find("key=nothing", "maker");

  expect_refusal(unknown, 404, "NOT_FOUND");
  EXPECT_EQ(find("key=order-1", "maker").body, unknown.body);
  EXPECT_EQ(find("key=order-1", "globex").body, unknown.body);
  EXPECT_EQ(find("key=order-1", "other").status, 200);
}

TEST_F(ByKey, NeedsAKeyAndAWholeScope) {
  expect_refusal(find(""), 400, "BAD_REQUEST", "key is required");
  expect_refusal(find("key="), 400, "BAD_REQUEST", "key must not be empty");
  expect_refusal(find("key=k&namespace=shop"), 400, "BAD_REQUEST", "need a name");
  expect_refusal(find("key=k&version=1.0.0"), 400, "BAD_REQUEST", "need a name");
}

class Release : public ByKey {
 protected:
  HttpAnswer release(const std::string& task_uuid, const std::string& query = "", const std::string& key = "admin") {
    const std::string hash = task(task_uuid)["identity"]["hash"];
    return ask({"DELETE", "/v1/identity/" + hash + query, key});
  }
};

TEST_F(Release, OfAClosedHolderFreesItsIdentityForAnyRequest) {
  Json strictly = keyed_;
  strictly["reuse"] = "reject_duplicate";
  const std::string id = create("reader", keyed_);
  bring_to(State::completed, id, "default");
  expect_opaque(submit("reader", strictly));

  const HttpAnswer answer = release(id);

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json(), (Json{{"released", true}, {"execution_id", id}}));
  EXPECT_EQ(find("key=order-1").json()["held"], false);
  EXPECT_EQ(find("key=order-1").json()["holder"]["released_at"], to_rfc3339(clock_.now()));
  EXPECT_EQ(task(id)["identity"]["held"], false);
  EXPECT_EQ(submit("reader", strictly).json()["previous_execution_id"], id);
}

TEST_F(Release, OfAnOpenHolderNeedsForceAndLeavesItRunning) {
  const std::string id = create("reader", keyed_);

  expect_refusal(release(id), 409, "IDENTITY_HELD", "still open; cancel it first, or release with force=true");
  expect_refusal(release(id, "?force=false"), 409, "IDENTITY_HELD");
  EXPECT_EQ(release(id, "?force=true").status, 200);

  const std::string next = create("reader", keyed_);
  EXPECT_EQ(task(next)["previous_execution_id"], id);
  EXPECT_EQ(lease("default")["task_uuid"], id);
  EXPECT_EQ(lease("default")["task_uuid"], next);
}

TEST_F(Release, OfATombstoneWorksToo) {
  const std::string id = create("reader", keyed_);
  const std::string hash = task(id)["identity"]["hash"];
  bring_to(State::completed, id, "default");
  remove("acme", id);

  EXPECT_EQ(ask({"DELETE", "/v1/identity/" + hash, "admin"}).status, 200);

  EXPECT_EQ(find("key=order-1").json()["held"], false);
  EXPECT_EQ(submit("reader", keyed_).status, 201);
}

TEST_F(Release, IsForAdministratorsOfTheTenant) {
  const std::string id = create("reader", keyed_);
  bring_to(State::completed, id, "default");

  expect_refusal(release(id, "", "reader"), 403, "FORBIDDEN", "admin");
  expect_refusal(release(id, "", "globex"), 404, "NOT_FOUND", "nothing holds this identity");
  expect_refusal(release(id, "?force=yes"), 400, "BAD_REQUEST", "force must be true or false");
  EXPECT_EQ(find("key=order-1").json()["held"], true);
}

TEST_F(Release, SurvivesARestart) {
  const std::string id = create("reader", keyed_);
  bring_to(State::completed, id, "default");
  release(id);

  restart();

  EXPECT_EQ(find("key=order-1").json()["held"], false);
  EXPECT_EQ(submit("reader", keyed_).json()["previous_execution_id"], id);
}

}  // namespace
}  // namespace semel::test
