#include <fstream>
#include <set>

#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

constexpr auto everything = {"tasks:create", "tasks:read", "tasks:cancel", "workers", "admin"};

/// A server with API keys of its own: open until the first is made.
class Keys : public ServerFixture {
 protected:
  Keys() { own_keys_ = true; }
  void reopen() {
    stop();
    start();
  }

  HttpAnswer make_key(const std::string& by, const Json& request) { return post(by, "/v1/keys", request); }
  /// The secret of a new key.
  std::string key(const std::string& by, const std::string& tenant, const Json& permissions) {
    const HttpAnswer made = make_key(by, {{"tenant", tenant}, {"permissions", permissions}});
    EXPECT_EQ(made.status, 201) << made.body;
    return made.json().value("key", "");
  }
  std::string first_key() { return key("", "default", everything); }
};

TEST_F(Keys, AreNotNeededBeforeThereIsOne) {
  EXPECT_EQ(submit("", {{"handler", "mail"}}).status, 201);
  EXPECT_EQ(submit("anything", {{"handler", "mail"}}).status, 201);
}

TEST_F(Keys, AreRequiredFromTheFirstOneOn) {
  const std::string admin = first_key();

  const HttpAnswer without = submit("", {{"handler", "mail"}});
  EXPECT_EQ(without.status, 401);
  EXPECT_EQ(without.headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(without.json()["error"]["code"], "UNAUTHORIZED");
  EXPECT_EQ(submit("wrong", {{"handler", "mail"}}).status, 401);
  EXPECT_EQ(submit(admin + "0", {{"handler", "mail"}}).status, 401);
  EXPECT_EQ(submit(admin, {{"handler", "mail"}}).status, 201);

  reopen();

  EXPECT_EQ(submit("", {{"handler", "mail"}}).status, 401);
  EXPECT_EQ(submit(admin, {{"handler", "mail"}}).status, 201);
}

TEST_F(Keys, TheFirstMustBeAbleToMakeOthers) {
  for (const Json& request :
       {Json{{"permissions", {"tasks:create"}}}, Json{{"tenant", "acme"}, {"permissions", {"admin"}}},
        Json{{"permissions", {"admin"}}, {"expires_in", "1h"}}}) {
    const HttpAnswer refused = make_key("", request);
    EXPECT_EQ(refused.status, 400) << request;
  }
  EXPECT_EQ(submit("", {{"handler", "mail"}}).status, 201) << "a refused key must not close the server";
}

TEST_F(Keys, TheSecretIsShownOnceAndStoredNowhere) {
  const HttpAnswer made = make_key("", {{"name", "ops"}, {"permissions", everything}});
  const std::string secret = made.json()["key"];
  const std::string id = made.json()["id"];
  ASSERT_TRUE(secret.starts_with("semel_" + id + "_")) << secret;

  const HttpAnswer listed = get(secret, "/v1/keys");

  ASSERT_EQ(listed.status, 200);
  ASSERT_EQ(listed.json()["keys"].size(), 1u);
  EXPECT_EQ(listed.json()["keys"][0]["id"], id);
  EXPECT_EQ(listed.json()["keys"][0]["name"], "ops");
  EXPECT_EQ(listed.json()["keys"][0]["permissions"], Json(everything));
  EXPECT_EQ(listed.body.find(secret.substr(20)), std::string::npos);
  stop();
  for (const auto& entry : std::filesystem::directory_iterator(store_file().parent_path())) {
    std::ifstream stream(entry.path());
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(bytes.find(secret.substr(20)), std::string::npos) << entry.path();
  }
}

TEST_F(Keys, AreRevokedAtOnceAndForGood) {
  const std::string admin = first_key();
  const HttpAnswer made = make_key(admin, {{"permissions", {"tasks:create"}}});
  const std::string worker = made.json()["key"];
  const std::string id = made.json()["id"];
  ASSERT_EQ(submit(worker, {{"handler", "mail"}}).status, 201);

  const HttpAnswer revoked = ask({"DELETE", "/v1/keys/" + id, admin});

  EXPECT_EQ(revoked.status, 200);
  EXPECT_TRUE(revoked.json().contains("revoked_at"));
  EXPECT_EQ(submit(worker, {{"handler", "mail"}}).status, 401);
  EXPECT_EQ(ask({"DELETE", "/v1/keys/none", admin}).status, 404);
  reopen();
  EXPECT_EQ(submit(worker, {{"handler", "mail"}}).status, 401);
}

TEST_F(Keys, TheLastRevokedKeyDoesNotOpenTheServerAgain) {
  const std::string admin = first_key();
  const std::string id = get(admin, "/v1/keys").json()["keys"][0]["id"];
  ASSERT_EQ(ask({"DELETE", "/v1/keys/" + id, admin}).status, 200);

  EXPECT_EQ(submit("", {{"handler", "mail"}}).status, 401);
  reopen();
  EXPECT_EQ(submit("", {{"handler", "mail"}}).status, 401);
}

TEST_F(Keys, ExpireToTheTick) {
  const std::string admin = first_key();
  const std::string key = make_key(admin, {{"permissions", {"tasks:create"}}, {"expires_in", "1h"}}).json()["key"];
  clock_.advance(1h - 1ms);
  EXPECT_EQ(submit(key, {{"handler", "mail"}}).status, 201);
  clock_.advance(1ms);
  EXPECT_EQ(submit(key, {{"handler", "mail"}}).status, 401);
}

TEST_F(Keys, MayDoOnlyWhatTheyAreFor) {
  const std::string admin = first_key();
  const std::string maker = key(admin, "acme", {"tasks:create"});
  const std::string reader = key(admin, "acme", {"tasks:read"});
  const std::string worker = key(admin, "acme", {"workers"});
  const Json poll{{"worker_id", "w"}, {"queues", {"default"}}, {"max", 1}, {"wait_ms", 0}};

  EXPECT_EQ(submit(maker, {{"handler", "mail"}}).status, 201);
  EXPECT_EQ(submit(reader, {{"handler", "mail"}}).status, 403);
  EXPECT_EQ(get(maker, "/v1/tasks").status, 403);
  EXPECT_EQ(get(reader, "/v1/tasks").status, 200);
  EXPECT_EQ(post(worker, "/v1/worker/poll", poll).status, 200);
  EXPECT_EQ(post(maker, "/v1/worker/poll", poll).status, 403);
  for (const std::string& key : {maker, reader, worker}) {
    EXPECT_EQ(get(key, "/v1/keys").status, 403);
    EXPECT_EQ(get(key, "/v1/audit").status, 403);
    EXPECT_EQ(make_key(key, {{"permissions", {"admin"}}}).status, 403);
  }
}

TEST_F(Keys, OfATenantAreManagedByItsAdministratorsAndTheOperators) {
  const std::string operators = first_key();
  const std::string acme = key(operators, "acme", {"admin"});
  const std::string globex = key(operators, "globex", {"admin"});
  const std::string own = make_key(acme, {{"permissions", {"tasks:read"}}}).json()["id"];

  EXPECT_EQ(make_key(acme, {{"tenant", "globex"}, {"permissions", {"admin"}}}).status, 403);
  EXPECT_EQ(ask({"DELETE", "/v1/keys/" + own, globex}).status, 404);
  EXPECT_EQ(get(acme, "/v1/keys").json()["keys"].size(), 2u);
  EXPECT_EQ(get(globex, "/v1/keys").json()["keys"].size(), 1u);
  EXPECT_EQ(get(operators, "/v1/keys").json()["keys"].size(), 4u);
  EXPECT_EQ(get(acme, "/v1/audit?tenant=globex").status, 403);
  EXPECT_EQ(get(operators, "/v1/audit?tenant=globex").json()["entries"].size(), 1u);
  EXPECT_EQ(ask({"DELETE", "/v1/keys/" + own, operators}).status, 200);
}

TEST_F(Keys, AdminActsAreInTheAuditLog) {
  const std::string admin = first_key();
  const std::string admin_id = get(admin, "/v1/keys").json()["keys"][0]["id"];
  const std::string other = make_key(admin, {{"permissions", {"tasks:read"}}}).json()["id"];
  ask({"DELETE", "/v1/keys/" + other, admin});
  const std::string task = create(admin, {{"handler", "mail"}, {"idempotency_key", "a"}});
  const std::string hash = get(admin, "/v1/tasks/" + task).json()["identity"]["hash"];
  ASSERT_EQ(ask({"DELETE", "/v1/identity/" + hash + "?force=true", admin}).status, 200);

  const Json page = get(admin, "/v1/audit?limit=2").json();
  const Json rest = get(admin, "/v1/audit?limit=3&cursor=" + page["next_cursor"].get<std::string>()).json();

  ASSERT_EQ(page["entries"].size(), 2u);
  EXPECT_EQ(page["entries"][0]["action"], "identity.release.force");
  EXPECT_EQ(page["entries"][0]["subject"], hash);
  EXPECT_EQ(page["entries"][0]["actor"], admin_id);
  EXPECT_EQ(page["entries"][1]["action"], "key.revoke");
  ASSERT_EQ(rest["entries"].size(), 2u);
  EXPECT_EQ(rest["entries"][1]["action"], "key.create");
  EXPECT_EQ(rest["entries"][1]["actor"], "open");
  EXPECT_FALSE(rest.contains("next_cursor"));
}

TEST_F(Keys, BadRequestsForKeysSayWhatToChange) {
  const std::pair<Json, std::string> cases[] = {
      {Json::object(), "permissions is required"},
      {{{"permissions", Json::array()}}, "permissions is required"},
      {{{"permissions", {"root"}}}, "'root' is none of tasks:create, tasks:read, tasks:cancel, workers, admin"},
      {{{"permissions", "admin"}}, "permissions"},
      {{{"permissions", {"admin"}}, {"tenant", "a b"}}, "tenant must"},
      {{{"permissions", {"admin"}}, {"expires_in", "0"}}, "at least 1s"},
      {{{"permissions", {"admin"}}, {"until", "1h"}}, "until"},
  };
  for (const auto& [request, message] : cases) {
    const HttpAnswer refused = make_key("", request);
    EXPECT_EQ(refused.status, 400) << request;
    EXPECT_NE(refused.body.find(message), std::string::npos) << refused.body;
  }
}

/// What one tenant has, another cannot see, find out or touch.
class Tenants : public Keys {
 protected:
  void SetUp() override {
    Keys::SetUp();
    const std::string operators = first_key();
    acme_ = key(operators, "acme", everything);
    globex_ = key(operators, "globex", everything);
  }
  std::string acme_, globex_;
};

TEST_F(Tenants, DoNotSeeEachOthersTasks) {
  const std::string id = create(acme_, {{"handler", "mail"}, {"idempotency_key", "a"}});
  const std::string hash = get(acme_, "/v1/tasks/" + id).json()["identity"]["hash"];
  const std::string nothing = "01900000-0000-7000-8000-000000000000";
  const auto same_as_nothing = [&](const std::string& method, const std::string& before, const std::string& after) {
    const HttpAnswer theirs = ask({method, before + id + after, globex_, method == "POST" ? "{}" : ""});
    HttpAnswer none = ask({method, before + nothing + after, globex_, method == "POST" ? "{}" : ""});
    EXPECT_EQ(theirs.status, 404) << theirs.body;
    EXPECT_EQ(none.status, 404);
    none.body.replace(none.body.find(nothing), nothing.size(), id);
    EXPECT_EQ(theirs.body, none.body);
  };

  same_as_nothing("GET", "/v1/tasks/", "");
  same_as_nothing("GET", "/v1/tasks/", "/result");
  same_as_nothing("POST", "/v1/tasks/", "/cancel");
  EXPECT_EQ(get(globex_, "/v1/tasks/by-key?key=a").status, 404);
  EXPECT_EQ(get(globex_, "/v1/tasks").json()["tasks"].size(), 0u);
  EXPECT_EQ(ask({"DELETE", "/v1/identity/" + hash + "?force=true", globex_}).status, 404);
  EXPECT_EQ(get(acme_, "/v1/tasks/" + id).json()["status"], "pending");
}

TEST_F(Tenants, HaveKeysOfTheirOwn) {
  const Json task{{"handler", "mail"}, {"idempotency_key", "a"}};
  EXPECT_EQ(submit(acme_, task).status, 201);
  EXPECT_EQ(submit(globex_, task).status, 201);
  EXPECT_EQ(submit(globex_, task).status, 409);
}

TEST_F(Tenants, WorkOnTheirOwnQueuesOnly) {
  create(acme_, {{"handler", "mail"}});

  EXPECT_TRUE(lease("default", globex_).is_null());
  const Json leased = lease("default", acme_);
  const std::string attempt = leased["attempt_id"];

  EXPECT_EQ(post(globex_, "/v1/attempts/" + attempt + "/complete", Json::object()).status, 409);
  EXPECT_EQ(post(acme_, "/v1/attempts/" + attempt + "/complete", Json::object()).status, 200);
}

TEST_F(Tenants, TheOpaque409IsTheSameBytesForEveryReason) {
  const std::string maker = key(acme_, "acme", {"tasks:create"});
  create(acme_, {{"handler", "mail"}, {"idempotency_key", "a"}, {"context", {{"amount", 1}}}});
  std::set<std::string> bodies;

  for (const Json& duplicate :
       {Json{{"handler", "mail"}, {"idempotency_key", "a"}, {"context", {{"amount", 1}}}},
        Json{{"handler", "mail"}, {"idempotency_key", "a"}, {"context", {{"amount", 2}}}},
        Json{{"handler", "other"}, {"idempotency_key", "a"}},
        Json{{"handler", "mail"}, {"idempotency_key", "a"}, {"on_duplicate", "return_existing"}},
        Json{{"handler", "mail"}, {"idempotency_key", "a"}, {"on_duplicate", "describe"}}}) {
    const HttpAnswer answer = submit(maker, duplicate);
    EXPECT_EQ(answer.status, 409);
    bodies.insert(answer.body);
  }

  EXPECT_EQ(bodies.size(), 1u);
}

}  // namespace
}  // namespace semel::test
