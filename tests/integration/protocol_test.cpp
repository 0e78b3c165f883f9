#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// What HTTP itself asks of the API: paths, methods, types, origins, queries, heads; who may do what.
namespace semel::test {
namespace {

constexpr const char* unknown_id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";

class Protocol : public ServerFixture {
 protected:
  /// On a connection of its own: some refusals end it.
  HttpAnswer ask_apart(const HttpRequest& request) { return connect().ask(request); }
};

struct Call {
  const char* method;
  std::string target;
};

TEST_F(Protocol, WhatARefusalQuotesIsCutBetweenCharacters) {
  std::string omegas;  // of two bytes each: one character in front makes every even cut a wrong one
  for (int i = 0; i < 150; ++i) omegas += "\u03a9";
  std::string escaped;
  for (int i = 0; i < 150; ++i) escaped += "%CE%A9";
  const std::vector<HttpRequest> requests{
      {"GET", "/v1/x" + escaped, "admin"},
      {"POST", "/v1/tasks/x" + escaped + "/cancel", "admin"},
      {"GET", "/v1/tasks?x" + escaped + "=1", "admin"},
      {"GET", "/v1/tasks?status=x" + escaped, "admin"},
      {"POST", "/v1/keys", "admin", R"({"permissions":["x)" + omegas + R"("]})"},
      {"POST", "/v1/tasks", "admin", R"({"x)" + omegas + R"(":1})"},
      {"POST", "/v1/tasks", "admin", "x", {{"Content-Type", "\xff\xfe" + omegas}}},
  };
  for (const HttpRequest& request : requests) {
    const HttpAnswer answer = ask(request);
    EXPECT_GE(answer.status, 400) << request.target;
    EXPECT_NE(answer.message(), "") << answer.body;
  }
}

TEST_F(Protocol, AnUnknownPathIsNotFound) {
  for (const char* target : {"/v1", "/v1/", "/favicon.ico", "/v1/a/b/c/d/e"}) {
    SCOPED_TRACE(target);
    expect_refusal(get("reader", target), 404, "NOT_FOUND", "GET /openapi.json lists all paths");
  }
  for (const char* target :
       {"/tasks", "/v1/task", "/v1/tasks/", "/v2/tasks", "/v1//tasks", "//v1/tasks", "/V1/tasks"}) {
    SCOPED_TRACE(target);
    expect_refusal(get("reader", target), 404, "NOT_FOUND", "did you mean /v1/tasks?");
  }
  expect_refusal(get("reader", "/queues/mail/"), 404, "NOT_FOUND", "did you mean /v1/queues/mail?");
  const std::string id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
  expect_refusal(get("reader", "/v1/v1/tasks/" + id), 404, "NOT_FOUND", "did you mean /v1/tasks/" + id + "?");
  expect_refusal(get("reader", "/v1/tasks/" + id + "/results"), 404, "NOT_FOUND", "mean /v1/tasks/" + id + "/result?");
  expect_refusal(get("reader", "/v1/tasks/" + id + "/owner"), 404, "NOT_FOUND", "GET /openapi.json lists all paths");
  expect_refusal(get("reader", "/health"), 404, "NOT_FOUND", "did you mean /healthz?");
  expect_refusal(get("reader", "/metric"), 404, "NOT_FOUND", "did you mean /metrics?");
}

TEST_F(Protocol, AnotherMethodIsToldWhichAreTaken) {
  const std::string task = std::string("/v1/tasks/") + unknown_id;
  const std::vector<std::pair<Call, std::string>> calls{
      {{"DELETE", "/v1/tasks"}, "POST, GET"},
      {{"POST", task}, "GET"},
      {{"PUT", task + "/cancel"}, "POST"},
      {{"POST", "/v1/templates"}, "PUT, GET"},
      {{"POST", "/v1/templates/a/b"}, "GET, DELETE"},
      {{"get", task}, "GET"},
      {{"PATCH", "/v1/worker/poll"}, "POST"},
  };
  for (const auto& [call, allowed] : calls) {
    SCOPED_TRACE(call.method + (" " + call.target));
    const HttpAnswer answer = ask_apart({call.method, call.target, "admin"});
    expect_refusal(answer, 405, "METHOD_NOT_ALLOWED", "it takes " + allowed);
    EXPECT_EQ(answer.headers.count("allow") == 1 ? answer.headers.at("allow") : "", allowed);
  }
}

TEST_F(Protocol, AnotherContentTypeIsRefused) {
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "application/yaml", "application/jsonp", ""}) {
    SCOPED_TRACE(type);
    const HttpAnswer answer =
        ask_apart({"POST", "/v1/tasks", "reader", R"({"handler":"a"})", {{"Content-Type", type}}});
    expect_refusal(answer, 415, "UNSUPPORTED_MEDIA_TYPE", "send Content-Type: application/json");
  }
  for (const char* type : {"application/json", "application/json; charset=utf-8", "Application/JSON"}) {
    EXPECT_EQ(ask({"POST", "/v1/tasks", "reader", R"({"handler":"a"})", {{"Content-Type", type}}}).status, 201) << type;
  }
}

TEST_F(Protocol, AWebPageOfAnotherOriginMayNotCall) {
  const std::vector<std::pair<std::string, std::string>> foreign{
      {"Origin", "https://evil.example"}, {"Origin", "null"},          {"Origin", "http://localhost.evil.example"},
      {"Host", "evil.example"},           {"Host", "evil.example:80"}, {"Sec-Fetch-Site", "cross-site"}};
  for (const auto& header : foreign) {
    SCOPED_TRACE(header.first + ": " + header.second);
    expect_refusal(ask_apart({"POST", "/v1/tasks", "reader", R"({"handler":"a"})", {header}}), 403, "FORBIDDEN");
    expect_refusal(ask_apart({"GET", "/healthz", "", "", {header}}), 403, "FORBIDDEN");
  }
  for (const char* origin : {"http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"}) {
    EXPECT_EQ(ask({"POST", "/v1/tasks", "reader", R"({"handler":"a"})", {{"Origin", origin}}}).status, 201) << origin;
  }
}

TEST_F(Protocol, AnUnknownQueryParameterIsRefusedEverywhere) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string hash(64, '0');
  const std::vector<Call> calls{
      {"POST", "/v1/tasks?wait=5s"},
      {"POST", "/v1/tasks:batch?x"},
      {"GET", "/v1/tasks/by-key?key=k&x=1"},
      {"GET", "/v1/tasks/" + id + "?x=1"},
      {"GET", "/v1/tasks/" + id + "/result?wiat=5s"},
      {"POST", "/v1/tasks/" + id + "/cancel?force=true"},
      {"POST", "/v1/identity/explain?x=1"},
      {"DELETE", "/v1/identity/" + hash + "?forse=true"},
      {"PUT", "/v1/templates?x=1"},
      {"GET", "/v1/templates/a/b?x=1"},
      {"DELETE", "/v1/templates/a/b?x=1"},
      {"POST", "/v1/worker/poll?wait_ms=5"},
      {"POST", std::string("/v1/attempts/") + unknown_id + "/complete?x=1"},
  };
  for (const Call& call : calls) {
    SCOPED_TRACE(call.target);
    expect_refusal(ask({call.method, call.target, "admin"}), 400, "BAD_REQUEST", "unknown query parameter");
  }
  expect_refusal(get("reader", "/v1/tasks/by-key?key=a&key=b"), 400, "BAD_REQUEST", "given twice");
  EXPECT_EQ(task(id)["status"], "pending");
}

TEST_F(Protocol, AnIdIsAUuidAndAHashSixtyFourDigits) {
  expect_refusal(get("reader", "/v1/tasks/order-1"), 400, "BAD_REQUEST",
                 "'order-1' is not a UUID; GET /v1/tasks/by-key?key=… finds a task by its key");
  expect_refusal(get("reader", "/v1/tasks/order-1/result"), 400, "BAD_REQUEST", "is not a UUID");
  expect_refusal(post("reader", "/v1/tasks/1/cancel", Json::object()), 400, "BAD_REQUEST", "is not a UUID");
  expect_refusal(post("worker", "/v1/attempts/1/complete", Json::object()), 400, "BAD_REQUEST", "is not a UUID");
  expect_refusal(ask({"DELETE", "/v1/identity/abc", "admin"}), 400, "BAD_REQUEST", "64 hexadecimal digits");
}

TEST_F(Protocol, AGetTakesNoBody) {
  expect_refusal(ask_apart({"GET", "/v1/tasks/by-key?key=k", "reader", "{}"}), 400, "BAD_REQUEST", "takes no body");
}

TEST_F(Protocol, AHeadIsAGetWithoutItsBody) {
  const std::string target = "/v1/tasks/" + create("reader", {{"handler", "a"}});
  const HttpAnswer whole = get("reader", target);

  const HttpAnswer head = ask({"HEAD", target, "reader"});

  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(whole.body.size()));
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(get("reader", target).status, 200);  // nothing of a body is left in the connection
}

TEST_F(Protocol, ARequestIdTravelsInAHeaderOnly) {
  const HttpAnswer answer = ask({"POST", "/v1/tasks", "reader", R"({"handler":"a"})", {{"X-Request-Id", "my-id-1"}}});

  EXPECT_EQ(answer.headers.at("x-request-id"), "my-id-1");
  EXPECT_EQ(answer.body.find("my-id-1"), std::string::npos);
  EXPECT_FALSE(get("reader", "/healthz").headers.at("x-request-id").empty());
}

TEST_F(Protocol, AnotherTenantsIdIsAnsweredLikeAnUnknownOne) {
  const std::string id = create("reader", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  const std::vector<Call> calls{{"GET", ""}, {"GET", "/result"}, {"GET", "/result?wait=60s"}, {"POST", "/cancel"}};

  for (const Call& call : calls) {
    SCOPED_TRACE(call.target);
    HttpAnswer theirs = ask({call.method, "/v1/tasks/" + id + call.target, "globex"});
    HttpAnswer unknown = ask({call.method, "/v1/tasks/" + std::string(unknown_id) + call.target, "globex"});
    EXPECT_EQ(theirs.status, 404);
    EXPECT_EQ(theirs.body.replace(theirs.body.find(id), id.size(), unknown_id), unknown.body);
  }
  expect_refusal(post("globex", "/v1/attempts/" + attempt + "/complete", Json::object()), 409, "STALE_ATTEMPT");
  EXPECT_EQ(task(id)["status"], "running");
}

TEST_F(Protocol, HealthAndReadinessNeedNoKey) {
  EXPECT_EQ(get("", "/healthz").body, R"({"status":"ok"})");
  EXPECT_EQ(get("", "/readyz").body, R"({"status":"ready"})");
}

TEST_F(Protocol, EverythingElseNeedsAKey) {
  const std::string id = std::string("/v1/tasks/") + unknown_id;
  for (const Call& call :
       {Call{"POST", "/v1/tasks"}, Call{"GET", id}, Call{"POST", "/v1/worker/poll"}, Call{"PUT", "/v1/templates"}}) {
    expect_refusal(ask({call.method, call.target, ""}), 401, "UNAUTHORIZED");
    expect_refusal(ask({call.method, call.target, "stranger"}), 401, "UNAUTHORIZED");
  }
}

struct Forbidden {
  const char* key;
  const char* method;
  std::string target;
  std::string body;
  const char* permission;
};

TEST_F(Protocol, EachCallNeedsItsPermission) {
  const std::string id = create("maker", {{"handler", "a"}});
  const std::string attempt = lease("default")["attempt_id"];
  const std::string hash(64, '0');
  const std::vector<Forbidden> calls{
      {"viewer", "POST", "/v1/tasks", R"({"handler":"a"})", "tasks:create"},
      {"worker", "POST", "/v1/tasks", R"({"handler":"a"})", "tasks:create"},
      {"viewer", "POST", "/v1/identity/explain", R"({"handler":"a"})", "tasks:create"},
      {"maker", "POST", "/v1/tasks/" + id + "/cancel", "", "tasks:cancel"},
      {"viewer", "POST", "/v1/tasks/" + id + "/cancel", "", "tasks:cancel"},
      {"reader", "DELETE", "/v1/identity/" + hash, "", "admin"},
      {"reader", "PUT", "/v1/templates", R"({"namespace":"a","name":"b","version":"1.0.0"})", "admin"},
      {"reader", "DELETE", "/v1/templates/a/b", "", "admin"},
      {"reader", "DELETE", "/v1/templates/a/b/1.0.0", "", "admin"},
      {"maker", "GET", "/v1/templates/a/b", "", "tasks:read"},
      {"maker", "GET", "/v1/templates/a/b/1.0.0", "", "tasks:read"},
      {"reader", "POST", "/v1/worker/poll", R"({"worker_id":"w","queues":["default"]})", "workers"},
      {"reader", "POST", "/v1/attempts/" + attempt + "/complete", "", "workers"},
      {"reader", "POST", "/v1/attempts/" + attempt + "/fail", R"({"error":{"type":"a","message":"b"}})", "workers"},
      {"reader", "POST", "/v1/attempts/" + attempt + "/heartbeat", "", "workers"},
  };
  for (const Forbidden& call : calls) {
    SCOPED_TRACE(call.key + (" " + call.target));
    const HttpAnswer answer = ask({call.method, call.target, call.key, call.body});
    expect_refusal(answer, 403, "FORBIDDEN", std::string("this needs the permission ") + call.permission);
  }
  EXPECT_EQ(task(id)["status"], "running");
}

TEST_F(Protocol, ABatchWithoutPermissionIsRefusedForEachElement) {
  const Json tasks{{"tasks", {{{"handler", "a"}}}}};
  const Json outcomes{{"outcomes", {{{"attempt_id", unknown_id}, {"complete", Json::object()}}}}};

  EXPECT_EQ(post("viewer", "/v1/tasks:batch", tasks).json()["results"][0]["status"], 403);
  EXPECT_EQ(post("viewer", "/v1/attempts:batch", outcomes).json()["results"][0]["status"], 403);
}

TEST_F(Protocol, ACreateOnlyKeyReadsWhatItCreatedAndNothingElse) {
  const Json keyed{{"handler", "a"}, {"idempotency_key", "k"}};
  const std::string id = create("maker", keyed);
  for (const std::string& target :
       {"/v1/tasks/" + id, "/v1/tasks/" + id + "/result", std::string("/v1/tasks/by-key?key=k")}) {
    SCOPED_TRACE(target);
    EXPECT_LT(get("maker", target).status, 300);
    EXPECT_LT(get("viewer", target).status, 300);
    expect_refusal(get("other", target), 404, "NOT_FOUND");
    expect_refusal(get("worker", target), 404, "NOT_FOUND");
  }
}

}  // namespace
}  // namespace semel::test
