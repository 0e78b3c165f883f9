#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Templates over HTTP, as JSON and as YAML.
namespace semel::test {
namespace {

class Templates : public ServerFixture {
 protected:
  HttpAnswer put_json(const Json& document) { return ask({"PUT", "/v1/templates", "admin", document.dump()}); }
  HttpAnswer put_yaml(const std::string& text, const std::string& type = "application/yaml") {
    return ask({"PUT", "/v1/templates", "admin", text, {{"Content-Type", type}}});
  }
  HttpAnswer remove_template(const std::string& path) { return ask({"DELETE", "/v1/templates/" + path, "admin"}); }

  const Json document_{{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}, {"queue", "pay"}};
  const Json named_{{"namespace", "shop"}, {"name", "charge"}};
};

TEST_F(Templates, AreCreatedKeptAndRevised) {
  const HttpAnswer created = put_json(document_);
  const HttpAnswer same = put_json(document_);
  Json other = document_;
  other["queue"] = "fast";
  const HttpAnswer revised = put_json(other);

  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.json(), (Json{{"namespace", "shop"},
                                  {"name", "charge"},
                                  {"version", "1.0.0"},
                                  {"revision", 1},
                                  {"named_task_uuid", domain::named_task_uuid("acme", "shop", "charge").text()},
                                  {"handler", "charge"},
                                  {"queue", "pay"},
                                  {"identity_strategy", "strict"},
                                  {"scope", "template"},
                                  {"document", document_},
                                  {"changed", true}}));
  EXPECT_EQ(same.status, 200);
  EXPECT_EQ(same.json()["revision"], 1);
  EXPECT_EQ(same.json()["changed"], false);
  EXPECT_EQ(revised.status, 200);
  EXPECT_EQ(revised.json()["revision"], 2);
  EXPECT_EQ(revised.json()["changed"], true);
}

TEST_F(Templates, AreTheSameInYamlAndJson) {
  const std::string yaml =
      "# the first named task\n"
      "namespace: shop\nname: charge\nversion: \"1.0.0\"\n"
      "identity:\n  strategy: strict\n  fields: [/order_id]\n  dedup_window: 2h\n"
      "steps:\n  - name: only\n    handler: charge_card\n    queue: pay\n";
  const Json json{{"namespace", "shop"},
                  {"name", "charge"},
                  {"version", "1.0.0"},
                  {"identity", {{"strategy", "strict"}, {"fields", {"/order_id"}}, {"dedup_window", "2h"}}},
                  {"steps", {{{"name", "only"}, {"handler", "charge_card"}, {"queue", "pay"}}}}};

  const HttpAnswer first = put_yaml(yaml);
  const HttpAnswer second = put_json(json);

  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(first.json()["handler"], "charge_card");
  EXPECT_EQ(first.json()["queue"], "pay");
  EXPECT_EQ(second.json()["changed"], false) << second.body;
  for (const char* type : {"application/x-yaml", "text/yaml", "text/x-yaml; charset=utf-8"}) {
    EXPECT_EQ(put_yaml(yaml, type).status, 200) << type;
  }
}

TEST_F(Templates, TakeTheSeedsShape) {
  const HttpAnswer answer = put_yaml(
      "name: process_payment\nnamespace: payments\nversion: 1.0.0\ndescription: Charges a card once\n"
      "identity_strategy: caller_provided\n"
      "steps:\n  - name: charge\n    handler:\n      callable: PaymentHandler.Charge\n    depends_on: []\n");

  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json()["identity_strategy"], "caller_provided");
  EXPECT_EQ(answer.json()["handler"], "PaymentHandler.Charge");
}

TEST_F(Templates, AreReadByVersionNewestFirst) {
  for (const char* version : {"1.9.0", "1.10.0", "1.2.0"}) put_template("charge", {{"version", version}});

  const Json all = get("viewer", "/v1/templates/shop/charge").json()["versions"];

  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["version"], "1.10.0");
  EXPECT_EQ(all[1]["version"], "1.9.0");
  EXPECT_EQ(all[2]["version"], "1.2.0");
  EXPECT_EQ(get("viewer", "/v1/templates/shop/charge/1.9.0").json(), all[1]);
  expect_refusal(get("viewer", "/v1/templates/shop/charge/3.0.0"), 404, "NOT_FOUND", "no such version");
  expect_refusal(get("viewer", "/v1/templates/shop/refund"), 404, "NOT_FOUND", "no template shop/refund");
}

TEST_F(Templates, AreListedByNameNewestVersionFirst) {
  EXPECT_EQ(get("viewer", "/v1/templates").json(), (Json{{"templates", Json::array()}}));
  put_template("refund");
  for (const char* version : {"1.9.0", "1.10.0"}) put_template("charge", {{"version", version}});
  put_template("charge", {{"version", "1.9.0"}, {"queue", "pay"}});
  put_template("audit", {{"namespace", "bank"}});

  const Json listed = get("viewer", "/v1/templates").json();

  const auto entry = [](const char* space, const char* name, const char* version, int revision) {
    return Json{{"namespace", space}, {"name", name}, {"version", version}, {"revision", revision}};
  };
  EXPECT_EQ(listed, (Json{{"templates",
                           {entry("bank", "audit", "1.0.0", 1), entry("shop", "charge", "1.10.0", 1),
                            entry("shop", "charge", "1.9.0", 2), entry("shop", "refund", "1.0.0", 1)}}}));
  EXPECT_EQ(get("globex", "/v1/templates").json()["templates"], Json::array());
  expect_refusal(get("worker", "/v1/templates"), 403, "FORBIDDEN");
  expect_refusal(get("viewer", "/v1/templates?name=x"), 400, "BAD_REQUEST", "unknown query parameter 'name'");
}

TEST_F(Templates, AreRemovedByVersionOrAll) {
  for (const char* version : {"1.0.0", "2.0.0", "3.0.0"}) put_template("charge", {{"version", version}});

  EXPECT_EQ(remove_template("shop/charge/3.0.0").status, 204);
  EXPECT_EQ(task(create("reader", named_))["version"], "2.0.0");
  expect_refusal(remove_template("shop/charge/3.0.0"), 404, "NOT_FOUND", "no such template");
  EXPECT_EQ(remove_template("shop/charge").status, 204);

  expect_refusal(submit("reader", named_), 404, "NOT_FOUND");
  expect_refusal(get("reader", "/v1/templates/shop/charge"), 404, "NOT_FOUND");
  expect_refusal(remove_template("shop/charge"), 404, "NOT_FOUND");
}

TEST_F(Templates, ThatComeBackMeetTheIdentitiesOfBefore) {
  put_json(document_);
  create("reader", named_);
  remove_template("shop/charge");

  put_json(document_);

  expect_opaque(submit("reader", named_));
}

TEST_F(Templates, LeaveExecutionsTheirRevision) {
  put_json(document_);
  const std::string id = create("reader", named_);
  Json other = document_;
  other.update({{"queue", "fast"}, {"handler", "charge_anew"}});

  put_json(other);

  EXPECT_EQ(task(id)["revision"], 1);
  EXPECT_EQ(task(id)["handler"], "charge");
  EXPECT_EQ(lease("pay")["task_uuid"], id);
}

TEST_F(Templates, SurviveARestart) {
  put_json(document_);
  Json other = document_;
  other["queue"] = "fast";
  put_json(other);
  put_template("gone");
  remove_template("shop/gone");
  const HttpAnswer before = get("reader", "/v1/templates/shop/charge");

  restart();

  EXPECT_EQ(get("reader", "/v1/templates/shop/charge").body, before.body);
  EXPECT_EQ(task(create("reader", named_))["queue"], "fast");
  expect_refusal(get("reader", "/v1/templates/shop/gone"), 404, "NOT_FOUND");
}

TEST_F(Templates, BelongToTheirTenant) {
  put_json(document_);

  expect_refusal(get("globex", "/v1/templates/shop/charge"), 404, "NOT_FOUND");
  EXPECT_EQ(ask({"PUT", "/v1/templates", "globex", document_.dump()}).json()["revision"], 1);
  EXPECT_NE(get("globex", "/v1/templates/shop/charge/1.0.0").json()["named_task_uuid"],
            get("reader", "/v1/templates/shop/charge/1.0.0").json()["named_task_uuid"]);
}

struct BadTemplate {
  const char* yaml;  // after namespace, name and version, which fill the first line
  const char* code;
  const char* words;
};

TEST_F(Templates, ThatAreWrongAreRefusedWithTheLine) {
  constexpr const char* invalid = "INVALID_TEMPLATE";
  constexpr const char* later = "NOT_SUPPORTED_YET";
  const std::vector<BadTemplate> cases{
      {"colour: red", invalid, "line 4: unknown field 'colour'"},
      {"identity_strategy: sometimes", invalid, "line 4: identity_strategy must be one of strict"},
      {"identity: {strategy: strict, scop: queue}", invalid, "unknown field 'identity.scop'"},
      {"identity: {scope: galaxy}", invalid, "identity.scope must be one of template"},
      {"identity: {fields: [a]}", invalid, "must be empty or begin with '/'"},
      {"identity: {fields: [/a], ignore: [/b]}", invalid, "exclude each other"},
      {"identity: {ignore: ['']}", invalid, "would ignore everything"},
      {"identity: {strategy: always_unique, period: 1h}", invalid, "refine the strategy strict only"},
      {"identity: {period: 500ms}", invalid, "whole seconds"},
      {"identity: {dedup_window: soon}", invalid, "identity.dedup_window must be a duration"},
      {"identity: {locked: perhaps}", invalid, "identity.locked must be true or false"},
      {"identity: {strategy: strict}\nidentity_strategy: strict", invalid, "both given"},
      {"queue: a b", invalid, "queue must be 1 to 100 characters"},
      {"queue: [a]", invalid, "queue must be a text"},
      {"handler: a\nsteps: [{name: b, handler: c}]", invalid, "handler and steps are both given"},
      {"steps:\n  - {name: a, handler: b, depends_on: [c]}\n  - {name: c, handler: d, depends_on: [a]}", invalid,
       "line 5: the steps go round in a circle: a → c → a; take one of them out of the next one's depends_on"},
      {"steps: [{name: a, handler: b, when: c}]", invalid, "line 4: steps[0].when must be a comparison"},
      {"steps: [{name: a, handler: b, depends_on: [c]}]", invalid,
       "line 4: step 'a' depends on 'c', which is no step; there is no other step"},
      {"steps: [{handler: b}]", invalid, "steps[0].name is required"},
      {"retry: {base: soon}", invalid, "retry.base must be a duration from 0 to 366d"},
      {"retry: {backoff: quick}", invalid, "retry.backoff must be one of fixed, linear, exponential, fibonacci"},
      {"retry: {base: 2h, cap: 1h}", invalid, "retry: base is 2h, above the cap of 1h"},
      {"retry: {jitter: 2}", invalid, "retry.jitter must be a number from 0 to 1"},
      {"retry: {pause: 1s}", invalid, "unknown field 'retry.pause'"},
      {"retry: quick", invalid, "retry must be a map"},
      {"max_attempts: 0", invalid, "max_attempts must be from 1 to 1000"},
      {"timeout: 0", invalid, "timeout must be a duration from 1ms to 366d"},
      {"input_schema: {}\npriority: 1", later, "priority is not supported yet"},
      {"input_schema:\n  properties: {a: {typ: string}}", invalid,
       "line 5: input_schema/properties/a/typ: 'typ' is no keyword of draft 7; did you mean 'type'?"},
      {"queue: [", invalid, "line "},
  };
  for (const BadTemplate& each : cases) {
    SCOPED_TRACE(each.yaml);
    const std::string head = "namespace: shop\nname: charge\nversion: 1.0.0\n";
    expect_refusal(put_yaml(head + each.yaml + "\n"), 400, each.code, each.words);
  }
  expect_refusal(put_yaml("namespace: shop\nname: charge\n"), 400, invalid, "version is required");
  expect_refusal(put_yaml("namespace: shop\nname: charge\nversion: one\n"), 400, invalid, "semantic version");
  expect_refusal(put_yaml("- a\n"), 400, invalid, "a template must be a map");
  expect_refusal(ask({"PUT", "/v1/templates", "admin", "{,}"}), 400, invalid, "byte");
  const std::string lined = "{\n  \"namespace\": \"shop\",\n  \"name\": \"charge\",\n  \"color\": \"red\"\n}";
  expect_refusal(ask({"PUT", "/v1/templates", "admin", lined}), 400, invalid, "line 4: unknown field 'color'");
  expect_refusal(get("reader", "/v1/templates/shop/charge"), 404, "NOT_FOUND");
}

TEST_F(Templates, WithASchemaRefuseContextsThatDoNotFit) {
  Json document = document_;
  document["input_schema"] = {{"required", {"id"}}, {"properties", {{"n", {{"maximum", 5}}}}}};
  ASSERT_EQ(put_json(document).status, 201);
  Json wrong = named_;
  wrong["context"] = {{"n", 6}};
  Json right = named_;
  right["context"] = {{"id", 1}, {"n", 5}};

  const HttpAnswer refused = ask({"POST", "/v1/tasks", "admin", wrong.dump()});
  const HttpAnswer batch = ask({"POST", "/v1/tasks:batch", "admin", Json{{"tasks", {wrong, right}}}.dump()});

  const Json violations{{{"pointer", "/n"}, {"message", "must be at most 5"}},
                        {{"pointer", ""}, {"message", "must have 'id'"}}};
  expect_refusal(refused, 422, "INVALID_CONTEXT", "template shop/charge 1.0.0: /n must be at most 5");
  EXPECT_EQ(refused.json()["error"]["violations"], violations);
  EXPECT_EQ(batch.json()["results"][0]["body"]["error"]["violations"], violations);
  EXPECT_EQ(batch.json()["results"][1]["status"], 201);
  expect_refusal(ask({"POST", "/v1/identity/explain", "admin", wrong.dump()}), 422, "INVALID_CONTEXT");
}

TEST_F(Templates, OfAnotherContentTypeAreRefused) {
  expect_refusal(put_yaml("name: a\n", "text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE",
                 "application/json or application/yaml");
}

}  // namespace
}  // namespace semel::test
