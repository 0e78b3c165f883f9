#include "server/instance.hpp"

#include <stdexcept>
#include <utility>

#include "api/codec/schedule.hpp"
#include "api/codec/template_document.hpp"
#include "server/template_folder.hpp"

namespace semel::server {
namespace {

engine::EngineOptions engine_options(const InstanceOptions& options) {
  engine::EngineOptions made;
  made.commits = options.commits;
  made.retry = options.retry;
  made.queues = options.queues;
  made.swept_every = options.swept_every;
  made.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  made.read_schedule = [](const std::string& name, const std::string& document) {
    return codec::decode_schedule(name, document);
  };
  return made;
}

constexpr std::size_t waiting_max = 4'096;  // requests, for the database
constexpr int answer_threads = 2;

/// A public address needs keys, and keys need TLS unless somebody says that something else hides them.
void check_address(const InstanceOptions& options, const engine::Engine& engine) {
  if (!options.is_public) return;
  if (!engine.requires_keys()) {
    throw StoreFault(
        "the address can be reached from outside, and there is no API key: listen on 127.0.0.1, or make a key first "
        "with semel key create --store");
  }
  if (options.http.tls || options.plain_keys) return;
  throw StoreFault(
      "the address can be reached from outside, and API keys would travel in the clear: give --tls-cert and --tls-key, "
      "or --plain-keys where something in front does TLS");
}

}  // namespace

Instance::Instance(InstanceOptions options, const Clock& clock) : Instance(std::move(options), clock, nullptr) {}

Instance::Instance(InstanceOptions options, const Clock& clock, const Authenticator& authenticator)
    : Instance(std::move(options), clock, &authenticator) {}

Instance::Instance(InstanceOptions options, const Clock& clock, const Authenticator* authenticator)
    : store_(open_store(options.store, clock)),
      engine_(*store_, engine_options(options)),
      keys_(engine_),
      app_(engine_, authenticator != nullptr ? *authenticator : keys_),
      http_(options.http, handler_for(options)) {
  if (authenticator == nullptr) check_address(options, engine_);
  if (Result<void> put = put_templates(engine_, std::move(options.templates)); !put) {
    throw std::runtime_error("the templates could not be stored: " + put.error().message);
  }
  make_grpc(options, authenticator != nullptr ? *authenticator : keys_);
  http_.start();
  if (grpc_) grpc_->start();
}

http::Handler& Instance::handler_for(const InstanceOptions& options) {
  if (!store_->reads_wait()) return app_;
  return pool_.emplace(app_, readers_.emplace("handle", 2 * options.store.postgres_readers, waiting_max));
}

void Instance::make_grpc(const InstanceOptions& options, const Authenticator& authenticator) {
  if (!options.grpc) return;
  answers_.emplace("grpc answers", answer_threads);
  grpc_.emplace(*options.grpc, engine_, authenticator, rpc::Executors{*answers_, readers_ ? &*readers_ : nullptr});
}

Instance::~Instance() { stop(10s); }

/// Both interfaces have the same time to come to an end.
void Instance::stop(Duration grace) {
  const auto end = std::chrono::steady_clock::now() + grace;
  if (grpc_) grpc_->drain();  // before waits end: its streams would begin new ones
  engine_.stop_waiting();     // long polls and waits are answered at once, with what is there
  std::jthread http([&] { http_.stop(grace); });
  if (grpc_) grpc_->stop(std::chrono::ceil<Duration>(end - std::chrono::steady_clock::now()));
}

/// The first looks whether the files are good for anything.
Result<void> Instance::reload_certificate() {
  const Result<void> reloaded = http_.reload_certificate();
  return reloaded && grpc_ ? grpc_->reload_certificate() : reloaded;
}

}  // namespace semel::server
