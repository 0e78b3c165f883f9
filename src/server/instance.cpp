#include "server/instance.hpp"

#include <stdexcept>
#include <utility>

#include "api/codec/schedule.hpp"
#include "api/codec/template_document.hpp"
#include "base/log.hpp"
#include "server/template_folder.hpp"

namespace semel::server {
namespace {

engine::EngineOptions engine_options(const InstanceOptions& options, DedupCache* dedup_cache) {
  engine::EngineOptions made;
  made.commits = options.commits;
  made.dedup_cache = dedup_cache;
  made.retry = options.retry;
  made.queues = options.queues;
  made.swept_every = options.swept_every;
  made.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  made.read_schedule = [](const std::string& name, const std::string& document) {
    return codec::decode_schedule(name, document);
  };
  return made;
}

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

/// Of servers that share a database, the database's clock counts.
void look_at_clock(const Store& store, const Clock& clock) {
  const Duration behind = std::chrono::floor<std::chrono::seconds>(store.now() - clock.now());
  if (store.is_shared() || behind < 10s) return;
  log::warn(
      "this machine's clock is {} behind the newest change of the store: time goes at half its speed until it "
      "has caught up",
      to_text(behind));
}

}  // namespace

Instance::Instance(InstanceOptions options, const Clock& clock) : Instance(std::move(options), clock, nullptr) {}

Instance::Instance(InstanceOptions options, const Clock& clock, const Authenticator& authenticator)
    : Instance(std::move(options), clock, &authenticator) {}

Instance::Instance(InstanceOptions options, const Clock& clock, const Authenticator* authenticator)
    : store_(open_store(options.store, clock)),
      engine_(*store_, engine_options(options, make_dedup_cache(options))),
      keys_(engine_),
      app_(engine_, authenticator != nullptr ? *authenticator : keys_),
      http_(options.http, handler_for(options)) {
  if (authenticator == nullptr) check_address(options, engine_);
  look_at_clock(*store_, clock);
  if (Result<void> put = put_templates(engine_, std::move(options.templates)); !put) {
    throw std::runtime_error("the templates could not be stored: " + put.error().message);
  }
  http_.start();
}

DedupCache* Instance::make_dedup_cache(const InstanceOptions& options) {
  if (!options.dedup_cache) return nullptr;
  Promises* const promises = store_->promises();
  if (promises == nullptr) throw StoreFault("a dedup cache is for servers on PostgreSQL");
  return &dedup_cache_.emplace(*promises, *options.dedup_cache);
}

http::Handler& Instance::handler_for(const InstanceOptions& options) {
  if (!store_->reads_wait()) return app_;
  return pool_.emplace(app_, 2 * options.store.postgres_readers);
}

Instance::~Instance() { stop(10s); }

void Instance::stop(Duration grace) {
  engine_.stop_waiting();  // long polls and waits are answered at once, with what is there
  http_.stop(grace);
}

}  // namespace semel::server
