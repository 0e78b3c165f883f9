#include "server/run.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <thread>

#include "server/instance.hpp"
#include "server/template_folder.hpp"

namespace semel::server {
namespace {

/// Every connection is a descriptor.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Blocked before any thread is made, so that all threads inherit it and only wait_for_signal() sees them.
sigset_t block_signals(bool with_reload) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (with_reload) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

/// Returns the signal to stop at; SIGHUP before it is for the certificate.
int wait_for_signal(const sigset_t& signals, Instance& instance) {
  for (;;) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP) return signal;
    const Result<void> reloaded = instance.reload_certificate();
    if (reloaded) log::info("the certificate was read again; new connections get it");
    else log::error("the certificate stays as it was: {}", reloaded.error().message);
  }
}

int thread_count(const Options& options) {
  if (options.threads > 0) return options.threads;
  return std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
}

rpc::ServerOptions grpc_options(const Options& options, const Address& address) {
  rpc::ServerOptions made = options.grpc;
  made.host = address.host;
  made.port = address.port;
  if (!options.tls_cert.empty()) made.tls = rpc::TlsFiles{options.tls_cert, options.tls_key};
  return made;
}

Result<InstanceOptions> instance_options(const Options& options) {
  const Result<Address> address = parse_address(options.listen);
  if (!address) return pass_on(address.error());
  const Result<std::optional<Address>> grpc = parse_grpc_address(options.grpc_listen);
  if (!grpc) return pass_on(grpc.error());
  Result<StoreTarget> target = parse_store(options.store);
  if (!target) return pass_on(target.error());
  InstanceOptions made;
  made.store.target = *std::move(target);
  made.store.postgres_connections = options.postgres_connections;
  made.store.postgres_readers = options.postgres_readers;
  made.store.sqlite.limits = options.limits;
  made.store.sqlite.migrate = options.migrate;
  if (!options.dedup_cache.empty()) {
    Result<store::RedisTarget> cache = store::parse_redis(options.dedup_cache);
    if (!cache) return pass_on(cache.error());
    made.dedup_cache.emplace().target = *std::move(cache);
  }
  made.commits = options.commits;
  made.retry = options.retry;
  made.queues = options.queues;
  made.swept_every = options.swept_every;
  made.dispatch = options.dispatch;
  if (options.exports.every > 0ms) made.exports = options.exports;
  made.store_text = options.store;
  made.http = options.http;
  made.is_public = !address->is_loopback() || (*grpc && !(*grpc)->is_loopback());
  made.plain_keys = options.plain_keys;
  made.http.host = address->host;
  made.http.port = address->port;
  made.http.threads = thread_count(options);
  if (!options.tls_cert.empty()) made.http.tls = http::TlsFiles{options.tls_cert, options.tls_key};
  if (*grpc) made.grpc = grpc_options(options, **grpc);
  if (!options.templates.empty()) {
    Result<std::vector<domain::Template>> templates = read_template_folder(options.templates);
    if (!templates) return pass_on(templates.error());
    made.templates = *std::move(templates);
  }
  return made;
}

}  // namespace

int refuse_to_start(std::string_view why) {
  while (!why.empty()) {
    const std::size_t end = why.find('\n');
    std::fputs(fmt::format("semel: {}\n", why.substr(0, end)).c_str(), stderr);
    why.remove_prefix(end == std::string_view::npos ? why.size() : end + 1);
  }
  return 1;
}

int run(const Options& options) {
  log::configure(options.log_level, options.log_format);
  const Result<InstanceOptions> made = instance_options(options);
  if (!made) return refuse_to_start(made.error().message);
  raise_descriptor_limit();
  const sigset_t signals = block_signals(made->http.tls.has_value());
  const SystemClock clock;
  std::optional<Instance> instance;
  try {
    instance.emplace(*made, clock);
  } catch (const std::exception& exception) {
    return refuse_to_start(exception.what());
  }
  fmt::print("semel: ready http={} grpc={} store={}{}\n", instance->address(),
             made->grpc ? instance->grpc_address() : "off", without_password(options.store),
             made->http.tls ? " tls=on" : "");
  std::fflush(stdout);
  const int signal = wait_for_signal(signals, *instance);
  log::info("stopping on signal {}: no new requests, finishing those in flight", signal);
  instance->stop(options.shutdown_grace);
  instance.reset();
  log::info("stopped; everything acknowledged is in the store");
  return 0;
}

}  // namespace semel::server
