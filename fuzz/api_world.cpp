#include "fuzz/api_world.hpp"

#include <future>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "api/codec/schedule.hpp"
#include "api/codec/template_document.hpp"
#include "api/http/transport/target.hpp"
#include "base/ensure.hpp"
#include "base/log.hpp"
#include "domain/dispatch_token.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::fuzz {
namespace {

using Json = nlohmann::json;
using Engine = engine::Engine;

const domain::Principal whoever{"default", "fuzz", domain::all_permissions};

struct Made {
  std::string_view name;     // under which something of the answer is kept; empty: nothing is
  std::string_view pointer;  // to it
  std::string_view method;
  std::string_view target;
  std::string_view body;
};

// In this order: later ones name what earlier ones have made.
constexpr Made all_made[]{
    {"", "", "PUT", "/v1/templates",
     R"({"namespace":"shop","name":"charge","version":"1.0.0","handler":"charge","queue":"mail",
         "identity":{"fields":["/order"],"dedup_window":"1d"},
         "input_schema":{"properties":{"order":{"type":"integer"}}}})"},
    {"", "", "PUT", "/v1/templates",
     R"({"namespace":"shop","name":"order","version":"1.0.0","queue":"steps","steps":[
         {"name":"each","handler":"each","for_each":{"path":"/items"}},
         {"name":"charge","handler":"charge"},
         {"name":"ship","handler":"ship","depends_on":["charge"],"on_upstream_failure":"block"}]})"},
    {"", "", "PUT", "/v1/queues/mail", R"({"rate_limit":"100/sec","max_running":20,"max_running_per_key":2})"},
    {"", "", "PUT", "/v1/queues/pushed", R"({"target":"https://example.com/tasks","max_in_flight":5})"},
    {"", "", "PUT", "/v1/schedules/nightly",
     R"({"cron":"0 * * * *","missed":"catch_up","task":{"handler":"report","queue":"reports"}})"},
    {"fired", "/task_uuid", "POST", "/v1/schedules/nightly/run", "{}"},
    {"pending", "/task_uuid", "POST", "/v1/tasks",
     R"({"handler":"mail","idempotency_key":"pending","context":{"to":"a"},"labels":{"team":"red"}})"},
    {"delayed", "/task_uuid", "POST", "/v1/tasks", R"({"handler":"mail","idempotency_key":"delayed","delay":"1h"})"},
    {"running", "/task_uuid", "POST", "/v1/tasks",
     R"({"handler":"mail","queue":"running","idempotency_key":"running","concurrency_key":"c"})"},
    {"attempt", "/leases/0/attempt_id", "POST", "/v1/worker/poll", R"({"worker_id":"w","queues":["running"]})"},
    {"completed", "/task_uuid", "POST", "/v1/tasks",
     R"({"handler":"mail","queue":"completed","idempotency_key":"completed"})"},
    {"ended", "/leases/0/attempt_id", "POST", "/v1/worker/poll", R"({"worker_id":"w","queues":["completed"]})"},
    {"", "", "POST", "/v1/attempts/$ended/complete", R"({"result":{"receipt":17}})"},
    {"hash", "/identity/hash", "GET", "/v1/tasks/$completed", ""},
    {"failed", "/task_uuid", "POST", "/v1/tasks", R"({"handler":"mail","queue":"failed","idempotency_key":"failed"})"},
    {"broken", "/leases/0/attempt_id", "POST", "/v1/worker/poll", R"({"worker_id":"w","queues":["failed"]})"},
    {"", "", "POST", "/v1/attempts/$broken/fail",
     R"({"error":{"message":"declined","type":"DECLINED"},"retryable":false})"},
    {"cancelled", "/task_uuid", "POST", "/v1/tasks", R"({"handler":"mail","idempotency_key":"cancelled"})"},
    {"", "", "POST", "/v1/tasks/$cancelled/cancel", "{}"},
    {"run", "/task_uuid", "POST", "/v1/tasks", R"({"namespace":"shop","name":"order","context":{"items":[1,2]}})"},
    {"step", "/leases/0/attempt_id", "POST", "/v1/worker/poll",
     R"({"worker_id":"w","queues":["steps"],"handlers":["charge"]})"},
    {"", "", "POST", "/v1/attempts/$step/fail", R"({"error":{"message":"m","type":"T"},"retryable":false})"},
    {"each", "/leases/0/attempt_id", "POST", "/v1/worker/poll",
     R"({"worker_id":"w","queues":["steps"],"handlers":["each"]})"},
    {"part", "/leases/0/task_uuid", "POST", "/v1/worker/poll",
     R"({"worker_id":"w","queues":["steps"],"handlers":["each"]})"},
    {"workflow", "/workflow_execution_id", "POST", "/v1/workflows",
     R"({"workflow_id":"order-7","kind":"process_order","input":{"order":7}})"},
    {"new_workflow", "/workflow_execution_id", "POST", "/v1/workflows", R"({"workflow_id":"order-8","kind":"other"})"},
    {"promise", "/promise_id", "POST", "/v1/promises", R"({"idempotency_key":"approve-7","timeout_ms":60000})"},
    {"settled", "/promise_id", "POST", "/v1/promises", R"({"idempotency_key":"approve-8"})"},
    {"", "", "POST", "/v1/promises/$settled/resolve", R"({"value":true})"},
    {"key", "/id", "POST", "/v1/keys", R"({"permissions":["admin"],"name":"shop"})"},
    {"pushed", "/task_uuid", "POST", "/v1/tasks", R"({"handler":"charge","queue":"pushed"})"},
};

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

}  // namespace

std::string with_values(std::string_view text, const Names& names) {
  std::string made;
  while (true) {
    const std::size_t at = text.find('$');
    made += text.substr(0, at);
    if (at == std::string_view::npos) return made;
    std::size_t end = at + 1;
    while (end < text.size() && is_of_name(text[end])) ++end;
    const auto found = names.find(text.substr(at + 1, end - at - 1));
    made += found == names.end() ? text.substr(at, end - at) : std::string_view(found->second);
    text.remove_prefix(end);
  }
}

Result<domain::Principal> Everybody::authenticate(const Credentials& credentials) const {
  if (credentials.authorization == "Bearer nobody") return domain::Principal{"default", "nobody", 0};
  if (credentials.authorization == "Bearer other") return domain::Principal{"other", "other", domain::all_permissions};
  return whoever;
}

World::World() {
  make_late();
  make_all();
  run_code();
  push_one();
  names.emplace("unknown", "019bddae-0000-7000-8000-000000000000");
  engine_.stop_waiting();
}

engine::EngineOptions World::options() {
  engine::EngineOptions made;
  made.dispatch.targets = &targets_;  // which get nothing, since dispatching is not started
  made.retry.max_attempts = 2;
  made.events_kept = 100;
  made.random = [this] { return (++chance_) * 0x9e3779b97f4a7c15; };
  made.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  made.read_schedule = [](const std::string& name, const std::string& document) {
    return codec::decode_schedule(name, document);
  };
  return made;
}

http::Response World::ask(http::Request request) {
  std::promise<http::Response> answered;
  app_.handle(std::move(request), [&](http::Response response) { answered.set_value(std::move(response)); });
  return answered.get_future().get();
}

void World::pass(Duration time) {
  clock_.advance(time);
  std::promise<void> over;
  engine_.maintain([&] { over.set_value(); });
  over.get_future().get();
}

void World::make(std::string_view name, std::string_view pointer, std::string_view method, std::string_view target,
                 std::string_view body) {
  http::Request request;
  request.method = method;
  request.path = http::parse_target(with_values(target, names)).value().path;
  request.body = with_values(body, names);
  request.content_type = "application/json";
  request.request_id = "fuzz";
  request.from_loopback = true;
  const http::Response response = ask(std::move(request));
  if (response.status >= 300) log::error("{} {} was answered {}", method, target, response.body);
  ensure(response.status < 300);
  if (!name.empty()) names[std::string(name)] = Json::parse(response.body).at(Json::json_pointer(std::string(pointer)));
}

void World::make_all() {
  for (const Made& each : all_made) make(each.name, each.pointer, each.method, each.target, each.body);
}

/// Before all else: time goes on for it.
void World::make_late() {
  make("timed_out", "/task_uuid", "POST", "/v1/tasks",
       R"({"handler":"mail","queue":"late","idempotency_key":"timed_out","deadline":"1s"})");
  pass(2s);
}

/// As the dispatcher would: the target has the task, and may call back.
void World::push_one() {
  Claim claim{"default", std::string(domain::push_worker), {"pushed"}, {}, std::nullopt, 1h, {}, 1h};
  claim.attempt_ids = {{Uuid7Source([this] { return ++chance_; }).next(clock_.now())}};
  const std::vector<Command> commands{std::move(claim), KeepSecret{"dispatch callbacks", {}}};
  const Applied applied = store_.apply(commands);
  const Lease lease = std::get<Claimed>(applied.outcomes.at(0)).leases.at(0);
  const Hash32 key = std::get<SecretKept>(applied.outcomes.at(1)).value;
  names["external"] = lease.dispatch->ids.external;
  names["dispatch"] = lease.dispatch->ids.internal;
  names["pushed_attempt"] = lease.attempt_id.uuid.text();
  names["token"] = domain::make_dispatch_token(
      key, {"default", lease.execution.spec.id, lease.attempt_id, clock_.now() + Duration(24h)});
}

/// The first activation of the workflow: it begins a task, a timer, a child and a promise.
void World::run_code() {
  Engine::PollRequest request;
  request.worker = "w";
  request.queues = {"default"};
  request.handlers = {domain::code::handler_of_workflow("process_order")};
  std::promise<Result<std::vector<Lease>>> polled;
  engine_.poll(whoever, std::move(request), [&](auto leases) { polled.set_value(std::move(leases)); });
  const Lease lease = polled.get_future().get().value().at(0);

  domain::code::Answer said;
  said.seen = lease.activation->history_length;
  domain::code::ScheduleTask task;
  task.handler = "charge";
  domain::code::StartTimer timer;
  timer.after = 1h;
  domain::code::StartChild child;
  child.kind = "child";
  child.workflow_id = "child-7";
  said.commands = {{1, std::move(task)}, {2, timer}, {3, std::move(child)}, {4, domain::code::CreatePromise{}}};
  std::vector<Result<Engine::Ending>> endings;
  endings.emplace_back(Engine::Ending{lease.attempt_id, Engine::CodeAnswer{lease.execution.spec.id, std::move(said)}});
  std::promise<std::vector<Result<AttemptAnswer>>> ended;
  engine_.end(whoever, std::move(endings), [&](auto answers) { ended.set_value(std::move(answers)); });
  ensure(ended.get_future().get().at(0).has_value());
}

}  // namespace semel::fuzz
