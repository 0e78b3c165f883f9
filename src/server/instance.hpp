#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/grpc/server.hpp"
#include "api/http/app.hpp"
#include "api/http/transport/server.hpp"
#include "domain/template.hpp"
#include "engine/engine.hpp"
#include "ports/authenticator.hpp"
#include "ports/clock.hpp"
#include "server/export_process.hpp"
#include "server/exports.hpp"
#include "server/handler_pool.hpp"
#include "server/open_store.hpp"
#include "server/options.hpp"
#include "server/work_pool.hpp"
#include "store/dedup_cache/redis_dedup_cache.hpp"

namespace semel::server {

struct InstanceOptions {
  StoreOptions store;
  http::ServerOptions http;
  std::optional<store::DedupCacheOptions> dedup_cache{};  // for a store that can promise
  std::optional<rpc::ServerOptions> grpc{};               // nothing: there is none
  engine::CommitQueueOptions commits;
  domain::RetryPolicy retry;
  std::map<std::string, domain::QueueOptions> queues{};
  Duration swept_every = 1h;
  std::optional<DispatchOptions> dispatch{};  // nothing: no queue may have a target
  std::optional<ExportSettings> exports{};    // nothing: there are none
  std::string store_text{};                   // as --store has it, for the exports' process
  bool is_public = false;                     // an address can be reached from outside
  bool plain_keys = false;                    // and keys may go there without TLS
  std::vector<domain::Template> templates;    // put before the first request is taken
};

/// Whoever the engine's API keys say it is.
class KeyAuthenticator final : public Authenticator {
 public:
  explicit KeyAuthenticator(const engine::Engine& engine) : engine_(engine) {}
  Result<domain::Principal> authenticate(const Credentials& credentials) const override {
    return engine_.authenticate(credentials);
  }

 private:
  const engine::Engine& engine_;
};

/// A whole server in one object: the parts, in the order in which they need each other. Starts in its constructor and
/// stops in the reverse order: workers are told to go, no new requests, what is in flight is finished, waits are ended,
/// the last commits are made, the store is checkpointed. Clock and authenticator must outlive it; tests inject their
/// own.
class Instance {
 public:
  /// Asks its own API keys who sends a request. Throws StoreFault when the address can be reached from outside and
  /// there are none, or when they would travel in the clear.
  Instance(InstanceOptions options, const Clock& clock);
  Instance(InstanceOptions options, const Clock& clock, const Authenticator& authenticator);
  ~Instance();

  void stop(Duration grace);
  Result<void> reload_certificate();

  std::string address() const { return http_.address(); }
  /// Empty when there is none.
  std::string grpc_address() const { return grpc_ ? grpc_->address() : ""; }
  std::size_t grpc_calls() const { return grpc_ ? grpc_->calls() : 0; }
  engine::Engine& engine() { return engine_; }
  Store& store() { return *store_; }
  std::size_t connections() const { return http_.connections(); }

 private:
  /// Null = its own keys.
  Instance(InstanceOptions options, const Clock& clock, const Authenticator* authenticator);
  DedupCache* make_dedup_cache(const InstanceOptions& options);
  DispatchTargets* make_targets(const InstanceOptions& options, const Clock& clock);
  void start_dispatching(std::string callback_url);
  http::Handler& handler_for(const InstanceOptions& options);
  void make_grpc(const InstanceOptions& options, const Authenticator& authenticator);

  std::unique_ptr<Store> store_;
  std::optional<store::RedisDedupCache> dedup_cache_;
  std::unique_ptr<DispatchTargets> targets_;
  bool signs_pushes_ = false;
  engine::Engine engine_;
  KeyAuthenticator keys_;
  http::App app_;
  std::optional<WorkPool> readers_;  // where reads wait
  std::optional<HandlerPool> pool_;
  http::Server http_;
  std::optional<WorkPool> answers_;  // of gRPC
  std::optional<rpc::Server> grpc_;
  std::optional<ExportProcess> export_process_;
  std::optional<Exports> exports_;
};

}  // namespace semel::server
