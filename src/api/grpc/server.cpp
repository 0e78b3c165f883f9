#include "api/grpc/server.hpp"

#include <fmt/format.h>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "api/grpc/admin.hpp"
#include "api/grpc/backend.hpp"
#include "api/grpc/promises.hpp"
#include "api/grpc/schedules.hpp"
#include "api/grpc/tasks.hpp"
#include "api/grpc/tls.hpp"
#include "api/grpc/workers.hpp"
#include "api/grpc/workflows.hpp"
#include "base/log.hpp"

namespace semel::rpc {
namespace {

int to_int(auto number) {
  const auto most = static_cast<decltype(number)>(std::numeric_limits<int>::max());
  return static_cast<int>(std::min(number, most));
}

std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : '[' + host + ']'; }

/// gRPC's own log, which would stand on standard error in another form. What a caller must know is in a status.
void write_log(gpr_log_func_args* line) { log::write(log::Level::debug, "grpc", {{"says", line->message}}); }

/// Health, reflection and the log are those of the whole process. And gRPC stays up until that ends: to take it down
/// with its last server may wait ten seconds for a socket that it has not let go of yet.
void enable_plugins() {
  static const bool enabled = [] {
    grpc_init();
    gpr_set_log_function(write_log);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  static_cast<void>(enabled);
}

void set_limits(grpc::ServerBuilder& builder, const ServerOptions& options) {
  const auto ms = [](Duration duration) { return to_int(duration.count()); };
  builder.SetMaxReceiveMessageSize(to_int(options.message_bytes_max));
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, to_int(options.header_bytes_max));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, to_int(options.streams_max));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, ms(options.handshake_time_max));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, ms(options.idle_time_max));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, ms(options.keepalive_interval));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, ms(options.keepalive_timeout));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, ms(options.ping_interval_min));
  // Two servers on one port would each get a part of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

class Server::Inner {
 public:
  Inner(ServerOptions options, engine::Engine& engine, const Authenticator& authenticator, Executors executors)
      : options_(std::move(options)),
        backend_(engine, authenticator, executors, options_.calls_max),
        tasks_(backend_),
        workers_(backend_),
        workflows_(backend_),
        promises_(backend_),
        admin_(backend_),
        schedules_(backend_) {
    if (options_.tls) certificate_.emplace(*options_.tls);
  }

  void start() {
    enable_plugins();
    grpc::ServerBuilder builder;
    set_limits(builder, options_);
    const std::string host = bracketed(options_.host);
    const std::string address = fmt::format("{}:{}", host, options_.port);
    builder.AddListeningPort(address, certificate_ ? certificate_->credentials() : grpc::InsecureServerCredentials(),
                             &port_);
    for (grpc::Service* service : {static_cast<grpc::Service*>(&tasks_), static_cast<grpc::Service*>(&workers_),
                                   static_cast<grpc::Service*>(&workflows_), static_cast<grpc::Service*>(&promises_),
                                   static_cast<grpc::Service*>(&admin_), static_cast<grpc::Service*>(&schedules_)}) {
      builder.RegisterService(service);
    }
    server_ = builder.BuildAndStart();
    if (!server_ || port_ == 0)
      throw std::runtime_error(fmt::format("cannot listen on {} for gRPC: is it in use?", address));
    address_ = fmt::format("{}:{}", host, port_);
    for (const char* name : {"semel.v1.TaskService", "semel.v1.WorkerService", "semel.v1.WorkflowService",
                             "semel.v1.PromiseService", "semel.v1.AdminService", "semel.v1.ScheduleService"})
      server_->GetHealthCheckService()->SetServingStatus(name, true);
  }

  void drain() {
    if (server_) server_->GetHealthCheckService()->SetServingStatus(false);
    backend_.drain();
  }

  void stop(Duration grace) {
    if (!server_) return;
    drain();
    server_->Shutdown(std::chrono::system_clock::now() + grace);
    server_->Wait();
    server_.reset();
  }

  Result<void> reload_certificate() { return certificate_->reload(); }
  const std::string& address() const { return address_; }
  std::size_t calls() const { return backend_.calls(); }

 private:
  const ServerOptions options_;
  Backend backend_;
  TaskService tasks_;
  WorkerService workers_;
  WorkflowService workflows_;
  PromiseService promises_;
  AdminService admin_;
  ScheduleService schedules_;
  std::optional<Certificate> certificate_;
  int port_ = 0;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;  // last: it uses all of the above
};

Server::Server(ServerOptions options, engine::Engine& engine, const Authenticator& authenticator, Executors executors)
    : inner_(std::make_unique<Inner>(std::move(options), engine, authenticator, executors)) {}
Server::~Server() { stop(); }

void Server::start() { inner_->start(); }
void Server::drain() { inner_->drain(); }
void Server::stop(Duration grace) { inner_->stop(grace); }
Result<void> Server::reload_certificate() { return inner_->reload_certificate(); }
std::string Server::address() const { return inner_->address(); }
std::size_t Server::calls() const { return inner_->calls(); }

}  // namespace semel::rpc
