#pragma once
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/codec/answers.hpp"
#include "api/http/transport/message.hpp"
#include "base/utf8.hpp"
#include "engine/engine.hpp"

namespace semel::http {

/// Where a call's answer goes: small, so that it can be kept while the engine works. To be used once.
struct Responder {
  Respond respond;

  void answer(codec::Encoded encoded) const;
  void refuse(const Error& error) const;
};

/// One call of the API, with all that its handler needs.
struct Call {
  engine::Engine& engine;
  const Authenticator& authenticator;
  domain::Principal principal;
  Request request;
  std::vector<std::string> parts;  // what stood for the {…} of the route's path
  Responder to;
};

/// What a request's body may be.
enum class Body : std::uint8_t { none, json, json_or_yaml };

struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/tasks/{id}/cancel"
  Body body;
  void (*handle)(Call call);
  bool has_query = false;    // the handler checks its own; others take no query parameter at all
  bool takes_token = false;  // of a dispatch, which the handler checks, instead of an API key
};

/// The whole API, besides what needs no key: /healthz, /readyz, /openapi.json and the dashboard.
std::span<const Route> all_routes();

// One handler a route, in the file of its resource: tasks.cpp, runs.cpp, list.cpp, bulk.cpp, identity.cpp,
// workflows.cpp, promises.cpp, dispatches.cpp, templates.cpp, queues.cpp, schedules.cpp, keys.cpp, metrics.cpp,
// overview.cpp, worker.cpp, events.cpp.
void list_dispatches(Call call);
void redispatch_task(Call call);
void dispatch_started(Call call);
void dispatch_heartbeat(Call call);
void dispatch_completed(Call call);
void dispatch_failed(Call call);
void submit_task(Call call);
void submit_batch(Call call);
void get_task(Call call);
void get_task_by_key(Call call);
void get_result(Call call);
void cancel_task(Call call);
void retry_task(Call call);
void get_graph(Call call);
void get_history(Call call);
void resolve_step(Call call);
void start_workflow(Call call);
void find_workflow(Call call);
void get_workflow(Call call);
void get_workflow_events(Call call);
void cancel_workflow(Call call);
void signal_workflow(Call call);
void create_promise(Call call);
void get_promise(Call call);
void resolve_promise(Call call);
void reject_promise(Call call);
void resolve_promise_by_key(Call call);
void reject_promise_by_key(Call call);
void cancel_tasks(Call call);
void retry_tasks(Call call);
void delete_tasks(Call call);
void explain_identity(Call call);
void release_identity(Call call);
void put_template(Call call);
void list_templates(Call call);
void get_templates(Call call);
void get_template(Call call);
void delete_templates(Call call);
void delete_template(Call call);
void put_queue(Call call);
void get_queue(Call call);
void list_queues(Call call);
void pause_queue(Call call);
void resume_queue(Call call);
void put_schedule(Call call);
void get_schedule(Call call);
void list_schedules(Call call);
void delete_schedule(Call call);
void pause_schedule(Call call);
void resume_schedule(Call call);
void run_schedule(Call call);
void poll(Call call);
void complete_attempt(Call call);
void fail_attempt(Call call);
void heartbeat_attempt(Call call);
void end_attempts(Call call);
void list_tasks(Call call);
void count_tasks(Call call);
void get_overview(Call call);
void list_workers(Call call);
void who_am_i(Call call);
void create_key(Call call);
void list_keys(Call call);
void revoke_key(Call call);
void read_audit(Call call);
void get_metrics(Call call);
void follow_events(Call call);

}  // namespace semel::http
