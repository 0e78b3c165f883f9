#include "tests/integration/described_answers.hpp"

/// Answers about workflows, promises and dispatches; see openapi_answers_test.cpp.
namespace semel::test {

void DescribedAnswers::run_workflows() {
  const Json order{{"workflow_id", "order-7"},
                   {"kind", "process_order"},
                   {"labels", {{"team", "a"}}},
                   {"input", {{"order", 7}}},
                   {"deadline", "2h"}};
  const std::string id = tell("/v1/workflows", order, 201).json()["workflow_execution_id"];
  tell("/v1/workflows", order, 409);
  tell("/v1/workflows", with(order, describe), 409);
  tell("/v1/workflows", with(order, return_existing), 200);
  tell("/v1/workflows", with(order, {{"input", 1}}), 422);
  const std::string target = "/v1/workflows/" + id;
  told({"GET", target, "admin"}, 200);
  told({"GET", "/v1/tasks/" + id, "admin"}, 200);
  told({"GET", "/v1/workflows?workflow_id=order-7", "admin"}, 200);
  tell(target + "/signal", {{"name", "note"}, {"value", 1}, {"key", "k"}}, 200);
  told({"GET", target + "/events?limit=1", "admin"}, 200);
  told({"GET", target + "/events", "admin"}, 200);
  tell(target + "/cancel", Json::object(), 200);
  const Json leased{{"workflow_id", "leased"}, {"kind", "leased"}};
  const std::string running = tell("/v1/workflows", leased, 201).json()["workflow_execution_id"];
  lease_workflow("leased");
  tell("/v1/workflows/" + running + "/cancel", Json::object(), 202);
  told({"GET", "/v1/workflows/" + running, "admin"}, 200);
  tell(target + "/signal", {{"name", "note"}}, 409);
  tell(target + "/cancel", Json::object(), 409);
  told({"GET", target, "admin"}, 200);
  const std::string nobody = "/v1/workflows/019bddae-0000-7000-8000-000000000000";
  for (const char* part : {"", "/events"}) told({"GET", nobody + part, "admin"}, 404);
  told({"GET", "/v1/workflows?workflow_id=nobody", "admin"}, 404);
  tell(nobody + "/signal", {{"name", "note"}}, 404);
  tell(nobody + "/cancel", Json::object(), 404);
}

void DescribedAnswers::settle_promises() {
  const Json asked{{"idempotency_key", "approve-7"}, {"timeout_ms", 60'000}, {"labels", {{"team", "a"}}}};
  const std::string id = tell("/v1/promises", asked, 201).json()["promise_id"];
  const std::string other = tell("/v1/promises", Json::object(), 201).json()["promise_id"];
  tell("/v1/promises", asked, 409);
  told({"GET", "/v1/promises/" + id, "admin"}, 200);
  told({"GET", "/v1/tasks/" + id, "admin"}, 200);
  told({"GET", "/v1/tasks?kind=promise", "admin"}, 200);
  tell("/v1/promises/" + id + "/resolve", {{"value", true}}, 200);
  tell("/v1/promises:resolve", {{"key", "approve-7"}, {"value", true}}, 200);
  tell("/v1/promises:reject", {{"key", "approve-7"}, {"error", failure}}, 200);
  tell("/v1/promises/" + other + "/reject", {{"error", failure}}, 200);
  for (const std::string& each : {id, other}) told({"GET", "/v1/promises/" + each, "admin"}, 200);
  tell("/v1/promises", with(asked, return_existing), 200);
  const std::string nobody = "/v1/promises/019bddae-0000-7000-8000-000000000000";
  told({"GET", nobody, "admin"}, 404);
  tell(nobody + "/resolve", {{"value", true}}, 404);
  tell(nobody + "/reject", {{"error", failure}}, 404);
  tell("/v1/promises:resolve", {{"key", "nobody"}}, 404);
  tell("/v1/promises:reject", {{"key", "nobody"}, {"error", failure}}, 404);
}

/// Two tasks that are pushed: one is completed, one fails.
void DescribedAnswers::push_all() {
  const PushEndpoint endpoint([](const EndpointRequest&) {
    EndpointReply reply;
    reply.status = 202;
    return reply;
  });
  const Json settings{{"target", endpoint.url("/")},
                      {"target_timeout", "1m"},
                      {"target_dedup_window", "1h"},
                      {"heartbeat_timeout", "10m"},
                      {"max_in_flight", 5}};
  told({"PUT", "/v1/queues/pushed", "admin", settings.dump()}, 200);
  told({"GET", "/v1/queues/pushed", "admin"}, 200);
  std::vector<std::string> ids;
  for (int i = 0; i < 2; ++i) ids.push_back(submit_new({{"handler", "charge"}, {"queue", "pushed"}}));
  endpoint.wait_for(2);
  told({"GET", "/v1/dispatches?limit=1", "admin"}, 200);
  const std::vector<EndpointRequest> requests = endpoint.requests();
  for (std::size_t i = 0; i < 2; ++i) {
    const Json envelope = Json::parse(requests[i].body);
    const std::string path = "/v1/dispatches/" + envelope["external_id"].get<std::string>();
    const std::string token = envelope["token"];
    for (const char* verb : {"/started", "/heartbeat"}) tell(path + verb, Json::object(), 200, token);
    told({"GET", "/v1/tasks/" + envelope["task_uuid"].get<std::string>(), "admin"}, 200);
    told({"GET", path.substr(0, 14) + "?external_id=" + envelope["external_id"].get<std::string>(), "admin"}, 200);
    const bool succeeds = i == 0;
    if (succeeds) tell("/v1/tasks/" + envelope["task_uuid"].get<std::string>() + "/redispatch", Json::object(), 200);
    tell(path + (succeeds ? "/completed" : "/failed"), succeeds ? Json{{"result", 1}} : Json{{"error", failure}}, 200,
         token);
    tell(path + (succeeds ? "/failed" : "/completed"), succeeds ? Json{{"error", failure}} : Json{{"result", 1}}, 409,
         token);
    for (const char* verb : {"/started", "/heartbeat"}) tell(path + verb, Json::object(), 409, token);
  }
  tell("/v1/tasks/" + ids[0] + "/redispatch", Json::object(), 409);
  tell("/v1/tasks/019bddae-0000-7000-8000-000000000000/redispatch", Json::object(), 404);
  told({"GET", "/v1/dispatches?dispatch_id=dispatch:none:x:1", "admin"}, 404);
  tell("/v1/tasks:batch", {{"tasks", std::vector<Json>(100, Json{{"handler", "charge"}})}}, 200);
  clock_.pass_with_each_look(1s);
  told({"GET", "/v1/dispatches?external_id=d_aaaaaaaaaaaaaaaaaaaaaaaaaa", "admin"}, 202);
  clock_.pass_with_each_look(0s);
}

}  // namespace semel::test
