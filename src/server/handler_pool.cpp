#include "server/handler_pool.hpp"

#include <pthread.h>

#include <exception>
#include <utility>

#include "api/http/transport/refusal.hpp"
#include "base/log.hpp"

namespace semel::server {
namespace {

constexpr std::size_t waiting_max = 4'096;

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

HandlerPool::HandlerPool(http::Handler& handler, int threads) : handler_(handler) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) {
      pthread_setname_np(pthread_self(), "handle");
      work(stop);
    });
  }
}

HandlerPool::~HandlerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void HandlerPool::handle(http::Request request, http::Respond respond) {
  if (never_waits(request)) return handler_.handle(std::move(request), std::move(respond));
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < waiting_max) {
      waiting_.push_back({std::move(request), std::move(respond)});
      respond = nullptr;
    }
  }
  if (respond) return respond(http::to_response(too_many()));
  some_wait_.notify_one();
}

/// What waits when it is time to stop is still handled: each request is answered.
void HandlerPool::work(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      some_wait_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      handler_.handle(std::move(job.request), std::move(job.respond));
    } catch (const std::exception& exception) {  // who is not answered gets 500
      log::error("a request could not be handled: {}", exception.what());
    }
  }
}

}  // namespace semel::server
