#pragma once
#include <grpcpp/support/server_callback.h>

#include <exception>
#include <thread>
#include <utility>

#include "api/grpc/backend.hpp"
#include "api/grpc/status.hpp"
#include "api/grpc/values.hpp"
#include "base/log.hpp"

namespace semel::rpc {

/// Where a call's answer goes: small, so that it can be kept while the engine works. To be used once, on any thread.
class Responder {
 public:
  Responder(Backend& backend, const Method& method, grpc::ServerUnaryReactor* reactor)
      : backend_(&backend), method_(&method), reactor_(reactor), begun_(Backend::Steady::now()) {}

  /// `fill` writes the response and returns its status. What the thread of commits calls is done on another: a message
  /// takes longer to write and to send than a commit has time for.
  template <typename Fill>
  void answer(Fill fill) const {
    if (std::this_thread::get_id() == handled_on_) return finish(fill());
    backend_->executors.answers.run([to = *this, fill = std::move(fill)]() mutable { to.finish(fill()); });
  }
  void refuse(const Error& error) const {
    answer([error] { return status_of(error); });
  }

 private:
  void finish(const grpc::Status& status) const {
    backend_->over(*method_, static_cast<codec::GrpcStatus>(status.error_code()), begun_);
    reactor_->Finish(status);
  }

  Backend* backend_;
  const Method* method_;
  grpc::ServerUnaryReactor* reactor_;
  Backend::Steady::time_point begun_;
  std::thread::id handled_on_ = std::this_thread::get_id();
};

/// One call that asks once and is answered once, with all that its handler needs.
template <typename Request, typename Response>
struct Call {
  engine::Engine& engine;
  const domain::Principal& principal;
  const Request& request;
  Response* response;  // lives until it is answered
  Responder to;
  const grpc::CallbackServerContext& context;
};

/// How long the caller will wait; a tenth is kept for the way back.
inline Duration time_left(const grpc::CallbackServerContext& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return Duration::max();
  const auto left = std::chrono::floor<Duration>(deadline - std::chrono::system_clock::now());
  return std::max(Duration{0}, left - left / 10);
}

/// Handles a call, and answers for a handler that throws: the request's boundary.
template <typename Request, typename Response, typename Handle>
void handle_call(Backend& backend, const domain::Principal& principal, grpc::CallbackServerContext* context,
                 const Request* request, Response* response, grpc::ServerUnaryReactor* reactor, const Method& method,
                 Handle handle) {
  const Responder to(backend, method, reactor);
  if (Result<void> known = check_known(*request); !known) return to.refuse(known.error());
  if (context->IsCancelled()) return to.refuse({ErrorCode::request_timeout, "nobody waits for the answer any more"});
  try {
    handle(Call<Request, Response>{backend.engine, principal, *request, response, to, *context});
  } catch (const StoreFault& fault) {
    log::write(log::Level::error, "the store failed to answer a read",
               {{"call", method.name}, {"fault", fault.what()}});
    to.refuse({ErrorCode::unavailable, "the store cannot answer now; try again"});
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "a call failed", {{"call", method.name}, {"what", exception.what()}});
    to.refuse({ErrorCode::internal, "the server made a mistake; its log says more"});
  }
}

/// The way of every call that is no stream: who is it, may it wait here, then `handle` with a Call.
template <typename Request, typename Response, typename Handle>
grpc::ServerUnaryReactor* begin(Backend& backend, const Method& method, grpc::CallbackServerContext* context,
                                const Request* request, Response* response, Handle handle) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Result<domain::Principal> principal = backend.admit(*context);
  if (!principal) {
    Responder(backend, method, reactor).refuse(principal.error());
    return reactor;
  }
  auto work = [&backend, &method, context, request, response, reactor, handle, principal = *std::move(principal)] {
    handle_call(backend, principal, context, request, response, reactor, method, handle);
  };
  Executor* const readers = method.reads ? backend.executors.readers : nullptr;
  if (readers == nullptr) work();
  else if (!readers->run(std::move(work)))
    Responder(backend, method, reactor)
        .refuse({ErrorCode::unavailable,
                 "too many requests are waiting for the database; nothing was changed, try again in a moment"});
  return reactor;
}

}  // namespace semel::rpc
