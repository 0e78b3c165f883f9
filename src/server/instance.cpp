#include "server/instance.hpp"

#include <stdexcept>
#include <utility>

#include "api/codec/schedule.hpp"
#include "api/codec/template_document.hpp"
#include "base/log.hpp"
#include "server/open_targets.hpp"
#include "server/template_folder.hpp"

namespace semel::server {
namespace {

engine::EngineOptions engine_options(const InstanceOptions& options, DedupCache* dedup_cache,
                                     DispatchTargets* targets) {
  engine::EngineOptions made;
  made.commits = options.commits;
  made.dedup_cache = dedup_cache;
  made.dispatch.targets = targets;
  made.retry = options.retry;
  made.queues = options.queues;
  made.swept_every = options.swept_every;
  made.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  made.read_schedule = [](const std::string& name, const std::string& document) {
    return codec::decode_schedule(name, document);
  };
  return made;
}

/// Where targets reach this server, when nothing else is said.
std::string callback_url(const InstanceOptions& options, const std::string& address) {
  if (!options.dispatch->callback_url.empty()) return options.dispatch->callback_url;
  return (options.http.tls ? "https://" : "http://") + address;
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
      engine_(*store_, engine_options(options, make_dedup_cache(options), make_targets(options, clock))),
      keys_(engine_),
      app_(engine_, authenticator != nullptr ? *authenticator : keys_),
      http_(options.http, handler_for(options)) {
  if (authenticator == nullptr) check_address(options, engine_);
  look_at_clock(*store_, clock);
  if (Result<void> put = put_templates(engine_, std::move(options.templates)); !put) {
    throw std::runtime_error("the templates could not be stored: " + put.error().message);
  }
  make_grpc(options, authenticator != nullptr ? *authenticator : keys_);
  http_.start();
  if (grpc_) grpc_->start();
  if (options.dispatch) start_dispatching(callback_url(options, http_.address()));
  if (options.exports) {
    ExportRunner& runner = export_process_.emplace(options.store_text, options.exports->duckdb);
    exports_.emplace(*options.exports,
                     Exports::Asked{[this] { return store_->leads(); }, [this] { return store_->now(); }}, runner);
  }
}

DedupCache* Instance::make_dedup_cache(const InstanceOptions& options) {
  if (!options.dedup_cache) return nullptr;
  Promises* const promises = store_->promises();
  if (promises == nullptr) throw StoreFault("a dedup cache is for servers on PostgreSQL");
  return &dedup_cache_.emplace(*promises, *options.dedup_cache);
}

DispatchTargets* Instance::make_targets(const InstanceOptions& options, const Clock& clock) {
  if (!options.dispatch) return nullptr;
  auto opened = open_targets(*options.dispatch, [&clock] { return clock.now(); });
  if (!opened) throw std::runtime_error(opened.error().message);
  targets_ = std::move(opened->targets);
  signs_pushes_ = opened->signs;
  for (const auto& [queue, said] : options.queues) {
    if (!said.target || said.target->empty()) continue;
    if (Result<void> fits = targets_->check(*said.target); !fits)
      throw std::runtime_error("the target of queue '" + queue + "': " + fits.error().message);
  }
  return targets_.get();
}

void Instance::start_dispatching(std::string callback_url) {
  if (!signs_pushes_ && engine_.has_targets())
    log::warn(
        "queues have targets, and there is no signing secret: what is pushed to them is not signed, and they cannot "
        "tell that it comes from here (dispatch.signing_secrets_file, or SEMEL_DISPATCH_SIGNING_SECRET)");
  engine_.start_dispatching(std::move(callback_url));
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
  exports_.reset();
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
