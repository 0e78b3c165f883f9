#include "api/http/app.hpp"

#include <algorithm>
#include <array>
#include <semel_openapi.hpp>

#include "api/codec/error.hpp"
#include "api/http/dashboard.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"

namespace semel::http {
namespace {

constexpr std::size_t single_bytes_max = (1 << 20) + (64 << 10);
constexpr std::size_t batch_bytes_max = 16 << 20;

// The whole API. A fixed path comes before one with a {part} that would fit it too.
constexpr std::array routes{
    Route{"POST", "/v1/tasks", Body::json, submit_task},
    Route{"POST", "/v1/tasks:batch", Body::json, submit_batch},
    Route{"GET", "/v1/tasks", Body::none, list_tasks, true},
    Route{"GET", "/v1/tasks:count", Body::none, count_tasks, true},
    Route{"POST", "/v1/tasks:cancel", Body::json, cancel_tasks, true},
    Route{"POST", "/v1/tasks:retry", Body::json, retry_tasks, true},
    Route{"POST", "/v1/tasks:delete", Body::json, delete_tasks, true},
    Route{"GET", "/v1/tasks/by-key", Body::none, get_task_by_key, true},
    Route{"GET", "/v1/tasks/{id}", Body::none, get_task},
    Route{"GET", "/v1/tasks/{id}/result", Body::none, get_result, true},
    Route{"POST", "/v1/tasks/{id}/cancel", Body::json, cancel_task},
    Route{"POST", "/v1/tasks/{id}/retry", Body::json, retry_task},
    Route{"GET", "/v1/tasks/{id}/graph", Body::none, get_graph, true},
    Route{"GET", "/v1/tasks/{id}/history", Body::none, get_history, true},
    Route{"POST", "/v1/tasks/{id}/steps/{step}/resolve", Body::json, resolve_step},
    Route{"POST", "/v1/workflows", Body::json, start_workflow},
    Route{"GET", "/v1/workflows", Body::none, find_workflow, true},
    Route{"GET", "/v1/workflows/{id}", Body::none, get_workflow},
    Route{"GET", "/v1/workflows/{id}/events", Body::none, get_workflow_events, true},
    Route{"POST", "/v1/workflows/{id}/cancel", Body::json, cancel_workflow},
    Route{"POST", "/v1/workflows/{id}/signal", Body::json, signal_workflow},
    Route{"POST", "/v1/promises", Body::json, create_promise},
    Route{"POST", "/v1/promises:resolve", Body::json, resolve_promise_by_key},
    Route{"POST", "/v1/promises:reject", Body::json, reject_promise_by_key},
    Route{"GET", "/v1/promises/{id}", Body::none, get_promise},
    Route{"POST", "/v1/promises/{id}/resolve", Body::json, resolve_promise},
    Route{"POST", "/v1/promises/{id}/reject", Body::json, reject_promise},
    Route{"POST", "/v1/identity/explain", Body::json, explain_identity},
    Route{"DELETE", "/v1/identity/{hash}", Body::none, release_identity, true},
    Route{"PUT", "/v1/templates", Body::json_or_yaml, put_template},
    Route{"GET", "/v1/templates", Body::none, list_templates},
    Route{"GET", "/v1/templates/{namespace}/{name}", Body::none, get_templates},
    Route{"GET", "/v1/templates/{namespace}/{name}/{version}", Body::none, get_template},
    Route{"DELETE", "/v1/templates/{namespace}/{name}", Body::none, delete_templates},
    Route{"DELETE", "/v1/templates/{namespace}/{name}/{version}", Body::none, delete_template},
    Route{"GET", "/v1/queues", Body::none, list_queues, true},
    Route{"PUT", "/v1/queues/{queue}", Body::json, put_queue},
    Route{"GET", "/v1/queues/{queue}", Body::none, get_queue},
    Route{"POST", "/v1/queues/{queue}/pause", Body::json, pause_queue},
    Route{"POST", "/v1/queues/{queue}/resume", Body::json, resume_queue},
    Route{"GET", "/v1/schedules", Body::none, list_schedules, true},
    Route{"PUT", "/v1/schedules/{schedule}", Body::json, put_schedule},
    Route{"GET", "/v1/schedules/{schedule}", Body::none, get_schedule},
    Route{"DELETE", "/v1/schedules/{schedule}", Body::none, delete_schedule},
    Route{"POST", "/v1/schedules/{schedule}/pause", Body::json, pause_schedule},
    Route{"POST", "/v1/schedules/{schedule}/resume", Body::json, resume_schedule},
    Route{"POST", "/v1/schedules/{schedule}/run", Body::json, run_schedule},
    Route{"POST", "/v1/keys", Body::json, create_key},
    Route{"GET", "/v1/keys", Body::none, list_keys},
    Route{"DELETE", "/v1/keys/{id}", Body::none, revoke_key},
    Route{"GET", "/v1/audit", Body::none, read_audit, true},
    Route{"GET", "/v1/events", Body::none, follow_events, true},
    Route{"GET", "/v1/overview", Body::none, get_overview, true},
    Route{"GET", "/v1/workers", Body::none, list_workers},
    Route{"GET", "/v1/whoami", Body::none, who_am_i},
    Route{"GET", "/metrics", Body::none, get_metrics},
    Route{"POST", "/v1/tasks/{id}/redispatch", Body::json, redispatch_task},
    Route{"GET", "/v1/dispatches", Body::none, list_dispatches, true},
    Route{"POST", "/v1/dispatches/{external_id}/started", Body::json, dispatch_started, false, true},
    Route{"POST", "/v1/dispatches/{external_id}/heartbeat", Body::json, dispatch_heartbeat, false, true},
    Route{"POST", "/v1/dispatches/{external_id}/completed", Body::json, dispatch_completed, false, true},
    Route{"POST", "/v1/dispatches/{external_id}/failed", Body::json, dispatch_failed, false, true},
    Route{"POST", "/v1/worker/poll", Body::json, poll},
    Route{"POST", "/v1/attempts:batch", Body::json, end_attempts},
    Route{"POST", "/v1/attempts/{attempt_id}/complete", Body::json, complete_attempt},
    Route{"POST", "/v1/attempts/{attempt_id}/fail", Body::json, fail_attempt},
    Route{"POST", "/v1/attempts/{attempt_id}/heartbeat", Body::json, heartbeat_attempt},
};

/// Takes the text up to the next slash off the front.
std::string_view next_segment(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return segment;
}

bool fits(std::string_view pattern, std::string_view path, std::vector<std::string>& parts) {
  if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/')) return false;
  parts.clear();
  while (!pattern.empty() || !path.empty()) {
    const std::string_view expected = next_segment(pattern);
    const std::string_view found = next_segment(path);
    const bool is_part = expected.starts_with('{');
    if (is_part ? found.empty() : expected != found) return false;
    if (is_part) parts.emplace_back(found);
  }
  return true;
}

/// The path as the route has it, if all of it fits but one word, which is nearly right.
std::optional<std::string> mended(std::string_view pattern, std::string_view path) {
  if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/')) return std::nullopt;
  std::string meant;
  int slips = 0;
  next_segment(pattern);  // the empty one before the first slash
  next_segment(path);
  while (!pattern.empty() || !path.empty()) {
    const std::string_view expected = next_segment(pattern);
    const std::string_view found = next_segment(path);
    const bool is_part = expected.starts_with('{');
    if (is_part ? found.empty() : (expected != found && !nearest(found, {&expected, 1}))) return std::nullopt;
    if (!is_part && expected != found) ++slips;
    meant.append("/").append(is_part ? found : expected);
  }
  return slips == 1 ? std::optional(std::move(meant)) : std::nullopt;
}

/// Names what was probably meant: people forget the version or say it twice, add a slash, and leave out an s. Empty
/// when that would be a guess.
std::string meant_by(const std::string& path) {
  std::string meant = path;
  while (meant.size() > 1 && meant.back() == '/') meant.pop_back();
  constexpr std::array<std::string_view, 4> open{"/healthz", "/readyz", "/metrics", "/openapi.json"};
  if (const auto nearly = nearest(meant, open)) return std::string(*nearly);
  if (!meant.starts_with("/v1/")) meant.insert(0, "/v1");
  while (meant.starts_with("/v1/v1/")) meant.erase(0, 3);
  std::vector<std::string> ignored;
  if (std::ranges::any_of(routes, [&](const Route& route) { return fits(route.path, meant, ignored); })) return meant;
  for (const Route& route : routes) {
    if (std::optional<std::string> other = mended(route.path, meant)) return *std::move(other);
  }
  std::vector<std::string_view> known;
  for (const Route& route : routes) known.push_back(route.path);
  return std::string(nearest(meant, known).value_or(""));
}

tl::unexpected<Error> nothing_at(const std::string& path) {
  const std::string meant = meant_by(path);
  const std::string_view shown = utf8_prefix(path, 200);
  if (!meant.empty())
    return refuse(ErrorCode::not_found, "there is nothing at {}; did you mean {}?", shown, utf8_prefix(meant, 200));
  return refuse(ErrorCode::not_found, "there is nothing at {}; GET /openapi.json lists all paths", shown);
}

/// `allowed` gets the methods that the path takes, when the request's is none of them.
Result<const Route*> find_route(const Request& request, std::vector<std::string>& parts, std::string& allowed) {
  for (const Route& route : routes) {
    if (!fits(route.path, request.path, parts)) continue;
    if (route.method == request.method) return &route;
    if (allowed.find(route.method) == std::string::npos)
      allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (allowed.empty()) return nothing_at(request.path);
  return refuse(ErrorCode::method_not_allowed, "{} does not take {}; it takes {}", utf8_prefix(request.path, 200),
                request.method.substr(0, 20), allowed);
}

bool is_yaml(std::string_view type) {
  return type == "application/yaml" || type == "application/x-yaml" || type == "text/yaml" || type == "text/x-yaml";
}

Result<void> check_body(const Route& route, const Request& request) {
  if (route.body == Body::none) {
    return request.body.empty() ? Result<void>{} : bad_request("{} takes no body", utf8_prefix(request.path, 200));
  }
  if (request.body.empty() || request.content_type == "application/json") return {};
  if (route.body == Body::json_or_yaml && is_yaml(request.content_type)) return {};
  const std::string_view wanted =
      route.body == Body::json ? "application/json" : "application/json or application/yaml";
  if (request.content_type.empty())
    return refuse(ErrorCode::unsupported_media_type, "the body has no content type; send Content-Type: {}", wanted);
  return refuse(ErrorCode::unsupported_media_type, "the content type is '{}'; send Content-Type: {}",
                is_utf8(request.content_type) ? utf8_prefix(request.content_type, 80) : "…", wanted);
}

Response to_response(codec::Encoded encoded) {
  Response response{encoded.status, std::move(encoded.body), "application/json", {}};
  if (encoded.status == 503 || encoded.status == 429)
    response.headers.emplace_back("Retry-After", std::to_string(codec::come_again_seconds));
  if (encoded.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

/// Health, readiness, the description of the API and the files of the dashboard need no key, and no route.
bool answer_open(engine::Engine& engine, const Request& request, const Respond& respond) {
  if (request.method != "GET") return false;
  if (is_of_dashboard(request.path)) {
    respond(answer_dashboard(request));
    return true;
  }
  if (request.path == "/healthz") {
    respond({200, R"({"status":"ok"})", "application/json", {}});
    return true;
  }
  if (request.path == "/openapi.json") {
    respond({200, std::string(openapi::all.front()), "application/json", {}});
    return true;
  }
  if (request.path != "/readyz") return false;
  try {
    engine.check_ready();
    respond({200, R"({"status":"ready"})", "application/json", {}});
  } catch (const StoreFault& fault) {
    log::warn("not ready: {}", fault.what());
    respond(to_response(codec::encode_refusal({ErrorCode::unavailable, "the store does not answer"})));
  }
  return true;
}

/// What is counted of every request that found its route.
Respond counted(engine::Metrics& metrics, const Route& route, Respond respond) {
  return [&metrics, &route, begun = std::chrono::steady_clock::now(), respond = std::move(respond)](Response response) {
    metrics.request(route.method, route.path, response.status, std::chrono::steady_clock::now() - begun);
    respond(std::move(response));
  };
}

/// The access log: what was asked and answered, at debug level, so that it costs nothing by default.
Respond logged(const Request& request, Respond respond) {
  if (!log::enabled(log::Level::debug)) return respond;
  return [id = request.request_id, method = request.method, path = request.path,
          respond = std::move(respond)](Response response) {
    const std::string status = std::to_string(response.status);
    log::write(log::Level::debug, "request",
               {{"request_id", id}, {"method", method}, {"path", path}, {"status", status}});
    respond(std::move(response));
  };
}

}  // namespace

std::span<const Route> all_routes() { return routes; }

void Responder::answer(codec::Encoded encoded) const { respond(to_response(std::move(encoded))); }
void Responder::refuse(const Error& error) const { answer(codec::encode_refusal(error)); }

std::size_t App::body_bytes_max(std::string_view, std::string_view path) const {
  const bool has_many = path.ends_with(":batch") || path == "/v1/worker/poll";
  return has_many ? batch_bytes_max : single_bytes_max;
}

void App::handle(Request request, Respond given) {
  Respond respond = logged(request, std::move(given));
  if (answer_open(engine_, request, respond)) return;
  std::vector<std::string> parts;
  std::string allowed;
  const Result<const Route*> route = find_route(request, parts, allowed);
  if (!route) {
    Response refused = to_response(codec::encode_refusal(route.error()));
    if (!allowed.empty()) refused.headers.emplace_back("Allow", std::move(allowed));
    return respond(std::move(refused));
  }
  respond = counted(engine_.metrics(), **route, std::move(respond));
  Result<domain::Principal> principal;  // nobody, who may do nothing
  if (!(*route)->takes_token) principal = authenticator_.authenticate({request.authorization, request.from_loopback});
  if (!principal) return respond(to_response(codec::encode_refusal(principal.error())));
  if (!(*route)->has_query) {
    if (Result<void> query = check_query(request, {}); !query)
      return respond(to_response(codec::encode_refusal(query.error())));
  }
  if (Result<void> body = check_body(**route, request); !body)
    return respond(to_response(codec::encode_refusal(body.error())));
  const std::string request_id = request.request_id;
  try {
    (*route)->handle({engine_, authenticator_, *std::move(principal), std::move(request), std::move(parts), {respond}});
  } catch (const StoreFault& fault) {
    log::write(log::Level::error, "the store failed to answer a read",
               {{"request_id", request_id}, {"fault", fault.what()}});
    respond(to_response(codec::encode_refusal({ErrorCode::unavailable, "the store cannot answer now; try again"})));
  }
}

}  // namespace semel::http
