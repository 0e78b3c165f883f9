#include "server/handler_pool.hpp"

#include <utility>

#include "api/http/transport/refusal.hpp"

namespace semel::server {
namespace {

http::Refusal too_many() {
  return {503, "UNAVAILABLE",
          "too many requests are waiting for the database; nothing was changed, try again in a moment"};
}

/// Submissions, polls and workers' answers are only put into the commit queue, and health is asked of the process.
bool never_waits(const http::Request& request) {
  if (request.path == "/healthz") return true;
  if (request.method != "POST") return false;
  return request.path == "/v1/tasks" || request.path == "/v1/tasks:batch" || request.path == "/v1/worker/poll" ||
         request.path.starts_with("/v1/attempts");
}

}  // namespace

void HandlerPool::handle(http::Request request, http::Respond respond) {
  if (never_waits(request)) return handler_.handle(std::move(request), std::move(respond));
  const bool taken = pool_.run([this, request = std::move(request), respond]() mutable {
    handler_.handle(std::move(request), std::move(respond));
  });
  if (!taken) respond(http::to_response(too_many()));
}

}  // namespace semel::server
