#pragma once
#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/codec/error.hpp"
#include "api/grpc/server.hpp"

namespace semel::rpc {

/// A method of a service, for the metrics and for where it is handled.
struct Method {
  std::string_view service;
  std::string_view name;
  bool reads = false;  // asks the store, not only the commit queue
};

/// A stream that can be asked to come to an end.
class Drainable {
 public:
  virtual ~Drainable() = default;
  virtual void drain() = 0;
};

/// What all services share. Callable from any thread.
class Backend {
 public:
  using Steady = std::chrono::steady_clock;

  Backend(engine::Engine& engine, const Authenticator& authenticator, Executors executors, std::size_t calls_max)
      : engine(engine), executors(executors), authenticator_(authenticator), calls_max_(calls_max) {}

  /// Who calls; or a refusal, also when too many calls are under way. Each admission is ended by over().
  Result<domain::Principal> admit(const grpc::CallbackServerContext& context);
  void over(const Method& method, codec::GrpcStatus status, Steady::time_point begun);
  std::size_t calls() const { return calls_; }

  void add(const std::shared_ptr<Drainable>& stream);
  void remove(const Drainable* stream);
  /// All streams that there are, and each that comes from now on.
  void drain();

  engine::Engine& engine;
  const Executors executors;

 private:
  const Authenticator& authenticator_;
  const std::size_t calls_max_;
  std::atomic<std::size_t> calls_ = 0;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<const Drainable*, std::weak_ptr<Drainable>> streams_;
  bool draining_ = false;
};

}  // namespace semel::rpc
