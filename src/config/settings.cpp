// The table of all settings. A new one is a member of server::Options and a row here; the TOML file, the environment,
// the flags and `semel config print` then know it, and a test asks for its line in docs/reference/configuration.md.
#include <array>

#include "base/ip_address.hpp"
#include "base/url.hpp"
#include "config/setting.hpp"
#include "store/dedup_cache/redis_target.hpp"

namespace semel::config {
namespace {

using server::Options;

constexpr std::int64_t second = 1'000;
constexpr std::int64_t hour = 3'600 * second;
constexpr std::int64_t bytes_max = std::int64_t{1} << 40;

Result<void> check_listen(const Options& options) {
  return server::parse_address(options.listen).map([](const server::Address&) {});
}

Result<void> check_grpc_listen(const Options& options) {
  return server::parse_grpc_address(options.grpc_listen).map([](const std::optional<server::Address>&) {});
}

Result<void> check_store(const Options& options) {
  return server::parse_store(options.store).map([](const server::StoreTarget&) {});
}

Result<void> check_dedup_cache(const Options& options) {
  if (options.dedup_cache.empty()) return {};
  if (Result<store::RedisTarget> target = store::parse_redis(options.dedup_cache); !target)
    return pass_on(target.error());
  const Result<server::StoreTarget> store = server::parse_store(options.store);
  if (!store || store->kind == server::StoreTarget::Kind::postgres) return {};
  return bad_request(
      "dedup_cache is for servers on PostgreSQL: a store in a file answers duplicates from its own memory");
}

Result<void> check_tls_cert(const Options& options) {
  if (!options.tls_cert.empty() && options.tls_key.empty()) return bad_request("tls_cert needs tls_key beside it");
  return {};
}

Result<void> check_tls_key(const Options& options) {
  if (!options.tls_key.empty() && options.tls_cert.empty()) return bad_request("tls_key needs tls_cert beside it");
  return {};
}

Result<void> check_url(std::string_view name, const std::string& url) {
  if (url.empty()) return {};
  const Result<HttpUrl> parsed = parse_http_url(url);
  return parsed ? Result<void>() : bad_request("{}: {}", name, parsed.error().message);
}

/// Paths are put after it.
Result<void> check_callback_url(const Options& options) {
  const std::string& url = options.dispatch.callback_url;
  if (url.ends_with('/') || url.find('?') != std::string::npos)
    return bad_request("dispatch.callback_url ends without a slash, and has no query: '{}'", url);
  return check_url("dispatch.callback_url", url);
}

Result<void> check_allowed_networks(const Options& options) {
  return parse_networks(options.dispatch.allowed_networks).map([](const std::vector<IpNetwork>&) {});
}

Result<void> check_api_url(const Options& options) {
  if (options.dispatch.cloud_tasks.api_url.empty()) return bad_request("cloud_tasks.api_url cannot be empty");
  return check_url("cloud_tasks.api_url", options.dispatch.cloud_tasks.api_url);
}

Result<void> check_token_url(const Options& options) {
  return check_url("cloud_tasks.token_url", options.dispatch.cloud_tasks.token_url);
}

Result<void> check_deliver_to(const Options& options) {
  return check_url("cloud_tasks.deliver_to", options.dispatch.cloud_tasks.deliver_to);
}

Result<void> check_export(const Options& options) {
  const Duration every = options.exports.every;
  if (every > 0ms && every < 1min)
    return bad_request("export.every is {}: at least 1m, or 0 for never", to_text(every));
  if (every > 0ms && options.exports.folder.empty()) return bad_request("export.every needs export.folder");
  return {};
}

// clang-format off
constexpr std::array table{
    Setting{"listen", [](Options& o) -> std::string& { return o.listen; },
            "Address and port for HTTP; port 0 picks a free one", 0, 0, check_listen},
    Setting{"grpc_listen", [](Options& o) -> std::string& { return o.grpc_listen; },
            "Address and port for gRPC; port 0 picks a free one, off = none", 0, 0, check_grpc_listen},
    Setting{"store", [](Options& o) -> std::string& { return o.store; },
            "Where the state is kept: sqlite:FILE or postgres://USER@HOST/DATABASE", 0, 0, check_store},
    Setting{"postgres_connections", [](Options& o) -> int& { return o.postgres_connections; },
            "Connections to PostgreSQL that apply changes", 1, 64},
    Setting{"postgres_readers", [](Options& o) -> int& { return o.postgres_readers; },
            "Connections to PostgreSQL that read", 1, 64},
    Setting{"dedup_cache", [](Options& o) -> std::string& { return o.dedup_cache; },
            "Redis that answers duplicates of completed tasks for PostgreSQL, redis://HOST:PORT; empty = none", 0, 0,
            check_dedup_cache},
    Setting{"migrate", [](Options& o) -> store::Migrate& { return o.migrate; },
            "Whether a server brings an older schema of its store up to date, or waits for semel migrate"},
    Setting{"threads", [](Options& o) -> int& { return o.threads; },
            "HTTP threads; 0 = one a core", 0, 256},
    Setting{"log_level", [](Options& o) -> log::Level& { return o.log_level; },
            "The least severe lines that are logged"},
    Setting{"log_format", [](Options& o) -> log::Format& { return o.log_format; },
            "How lines are logged, on standard error"},
    Setting{"shutdown_grace", [](Options& o) -> Duration& { return o.shutdown_grace; },
            "How long a stop waits for requests in flight", 0, hour},
    Setting{"templates", [](Options& o) -> std::string& { return o.templates; },
            "Folder of templates, NAMESPACE/NAME.yaml, that are put at start; empty = none"},
    Setting{"tls_cert", [](Options& o) -> std::string& { return o.tls_cert; },
            "Certificate chain for HTTPS and gRPC, a PEM file; empty = in the clear. Read again on SIGHUP", 0, 0, check_tls_cert},
    Setting{"tls_key", [](Options& o) -> std::string& { return o.tls_key; },
            "Private key of the certificate, a PEM file without a passphrase", 0, 0, check_tls_key},
    Setting{"plain_keys", [](Options& o) -> bool& { return o.plain_keys; },
            "Allow API keys in the clear on an address that other machines can reach"},
    Setting{"http.connections_max", [](Options& o) -> std::size_t& { return o.http.connections_max; },
            "Connections at once; one more is told to come back later", 1, 1'000'000},
    Setting{"http.header_bytes_max", [](Options& o) -> std::size_t& { return o.http.header_bytes_max; },
            "The head of one request", 1'024, 1 << 20},
    Setting{"http.handshake_time_max", [](Options& o) -> Duration& { return o.http.handshake_time_max; },
            "For the TLS handshake of a new connection", second, hour},
    Setting{"http.header_time_max", [](Options& o) -> Duration& { return o.http.header_time_max; },
            "From the first byte of a request to the end of its head", second, hour},
    Setting{"http.body_time_max", [](Options& o) -> Duration& { return o.http.body_time_max; },
            "For the whole body of a request", second, hour},
    Setting{"http.write_time_max", [](Options& o) -> Duration& { return o.http.write_time_max; },
            "For a client to take the whole response", second, hour},
    Setting{"http.idle_time_max", [](Options& o) -> Duration& { return o.http.idle_time_max; },
            "Between two requests of a connection", second, 24 * hour},
    Setting{"grpc.calls_max", [](Options& o) -> std::size_t& { return o.grpc.calls_max; },
            "Calls at once, streams among them; one more is told to come back later", 1, 1'000'000},
    Setting{"grpc.streams_max", [](Options& o) -> std::size_t& { return o.grpc.streams_max; },
            "Calls at once on one connection; a client lets more wait", 1, 1'000'000},
    Setting{"grpc.message_bytes_max", [](Options& o) -> std::size_t& { return o.grpc.message_bytes_max; },
            "One message of a client", 1 << 16, 1 << 30},
    Setting{"grpc.header_bytes_max", [](Options& o) -> std::size_t& { return o.grpc.header_bytes_max; },
            "The metadata of one call", 1'024, 1 << 20},
    Setting{"grpc.handshake_time_max", [](Options& o) -> Duration& { return o.grpc.handshake_time_max; },
            "For the handshake of a new connection", second, hour},
    Setting{"grpc.idle_time_max", [](Options& o) -> Duration& { return o.grpc.idle_time_max; },
            "Of a connection without calls", second, 24 * hour},
    Setting{"grpc.keepalive_interval", [](Options& o) -> Duration& { return o.grpc.keepalive_interval; },
            "After which a silent client is asked whether it is still there", second, 24 * hour},
    Setting{"grpc.keepalive_timeout", [](Options& o) -> Duration& { return o.grpc.keepalive_timeout; },
            "For its answer; then the connection is closed", second, hour},
    Setting{"grpc.ping_interval_min", [](Options& o) -> Duration& { return o.grpc.ping_interval_min; },
            "Between two pings of a client; one that asks more often is sent away", second, hour},
    Setting{"commits.commands_max", [](Options& o) -> std::size_t& { return o.commits.commands_max; },
            "Changes that may wait for a commit; more are told to come back later", 1'000, 1'000'000},
    Setting{"commits.bytes_max", [](Options& o) -> std::size_t& { return o.commits.bytes_max; },
            "Bytes of contexts and results that may wait for a commit", 1 << 20, bytes_max},
    Setting{"commits.batch_max", [](Options& o) -> std::size_t& { return o.commits.batch_max; },
            "Changes in one commit", 1, 100'000},
    Setting{"retry.max_attempts", [](Options& o) -> int& { return o.retry.max_attempts; },
            "How often a task is tried that does not say", 1, 1'000},
    Setting{"retry.base", [](Options& o) -> Duration& { return o.retry.base; },
            "The pause after the first attempt of a task that does not say", 0, 31'622'400'000},
    Setting{"retry.cap", [](Options& o) -> Duration& { return o.retry.cap; },
            "The longest pause between attempts of a task that does not say", 0, 31'622'400'000},
    Setting{"retention.swept_every", [](Options& o) -> Duration& { return o.swept_every; },
            "How often closed tasks are removed whose retention has passed", second, 24 * hour},
    Setting{"export.every", [](Options& o) -> Duration& { return o.exports.every; },
            "How often the store is written as Parquet files, by a process of its own; 0 = never", 0, 31 * 24 * hour, check_export},
    Setting{"export.folder", [](Options& o) -> std::string& { return o.exports.folder; },
            "Folder of those exports, each in date=2026-01-20/at=12-00-00Z"},
    Setting{"export.duckdb", [](Options& o) -> std::string& { return o.exports.duckdb; },
            "The library of DuckDB, libduckdb.so, that writes them; empty = where it is usually found"},
    Setting{"limits.open_tasks", [](Options& o) -> std::size_t& { return o.limits.open_tasks; },
            "Tasks of one tenant that may be open at once; 0 = no limit", 0, 1'000'000'000'000},
    Setting{"limits.payload_bytes", [](Options& o) -> std::size_t& { return o.limits.payload_bytes; },
            "Bytes of the contexts of a tenant's open tasks together; 0 = no limit", 0, bytes_max},
    Setting{"dispatch.callback_url", [](Options& o) -> std::string& { return o.dispatch.callback_url; },
            "Where targets reach this server, https://HOST/PATH; empty = the address that it listens on", 0, 0,
            check_callback_url},
    Setting{"dispatch.signing_secrets_file", [](Options& o) -> std::string& { return o.dispatch.signing_secrets_file; },
            "File of the secrets that pushed tasks are signed with; empty = none"},
    Setting{"dispatch.allowed_networks", [](Options& o) -> std::string& { return o.dispatch.allowed_networks; },
            "Networks that targets may be in beside the internet: 10.0.0.0/8, fd00::/8", 0, 0, check_allowed_networks},
    Setting{"dispatch.ca_file", [](Options& o) -> std::string& { return o.dispatch.limits.ca_file; },
            "Certificates to trust beside the system's, a PEM file; empty = none"},
    Setting{"dispatch.threads", [](Options& o) -> int& { return o.dispatch.limits.threads; },
            "Threads that push tasks", 1, 64},
    Setting{"dispatch.connections_max", [](Options& o) -> std::size_t& { return o.dispatch.limits.connections_max; },
            "Connections of one thread to one target at once; more tasks wait for one", 1, 10'000},
    Setting{"dispatch.connect_time_max", [](Options& o) -> Duration& { return o.dispatch.limits.connect_time; },
            "For the name of a target, the connection and TLS", 1, hour},
    Setting{"dispatch.send_time_max", [](Options& o) -> Duration& { return o.dispatch.limits.send_time; },
            "For a target to take the whole request; for its answer, the queue's target_timeout holds", 1, hour},
    Setting{"dispatch.body_time_max", [](Options& o) -> Duration& { return o.dispatch.limits.body_time; },
            "For the rest of its answer", 1, hour},
    Setting{"dispatch.idle_time_max", [](Options& o) -> Duration& { return o.dispatch.limits.idle_time; },
            "After which a connection that nobody needs is closed", 1, hour},
    Setting{"dispatch.answer_bytes_max", [](Options& o) -> std::size_t& { return o.dispatch.limits.answer_bytes_max; },
            "The body of an answer", 1'024, 1 << 24},
    Setting{"cloud_tasks.credentials_file", [](Options& o) -> std::string& { return o.dispatch.credentials_file; },
            "JSON key of the service account that makes tasks at Google; empty = none"},
    Setting{"cloud_tasks.deliver_to", [](Options& o) -> std::string& { return o.dispatch.cloud_tasks.deliver_to; },
            "Url that Google posts tasks to whose target does not say; empty = it must", 0, 0, check_deliver_to},
    Setting{"cloud_tasks.allowed_queues", [](Options& o) -> std::string& { return o.dispatch.cloud_tasks.allowed_queues; },
            "Beginnings of the names of queues there that targets may have, separated by commas; empty = any"},
    Setting{"cloud_tasks.api_url", [](Options& o) -> std::string& { return o.dispatch.cloud_tasks.api_url; },
            "Where Cloud Tasks is", 0, 0, check_api_url},
    Setting{"cloud_tasks.token_url", [](Options& o) -> std::string& { return o.dispatch.cloud_tasks.token_url; },
            "Where its access tokens are had; empty = where the credentials say", 0, 0, check_token_url},
};
// clang-format on

}  // namespace

std::span<const Setting> settings() { return table; }

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : table) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

}  // namespace semel::config
