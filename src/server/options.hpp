#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/grpc/server.hpp"
#include "api/http/transport/server.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "dispatch/targets.hpp"
#include "domain/queue.hpp"
#include "domain/retry.hpp"
#include "domain/usage.hpp"
#include "engine/commit_queue.hpp"
#include "server/exports.hpp"
#include "server/store_target.hpp"
#include "store/common/schema.hpp"

namespace semel::server {

/// How tasks of queues with a target are pushed. Of secrets only the files are here: they are read when the server
/// starts, or taken from the environment (server/open_targets.hpp), and never shown.
struct DispatchOptions {
  std::string callback_url;                 // under which targets reach this server; empty = its own address
  std::string allowed_networks;             // beside the internet
  std::string signing_secrets_file;         // empty = none
  dispatch::SendLimits limits;              // without the networks
  dispatch::CloudTasksOptions cloud_tasks;  // without the credentials
  std::string credentials_file;             // of Cloud Tasks; empty = none
};

/// What `semel server` was told. The defaults are here; names, descriptions and checks are in config/settings.cpp.
struct Options {
  std::string listen = "127.0.0.1:7420";
  std::string grpc_listen = "127.0.0.1:7421";  // or "off"
  std::string store = "sqlite:./semel.db";
  int postgres_connections = 4;  // that apply changes, of each server
  int postgres_readers = 4;
  std::string dedup_cache;  // redis://…; empty = none
  store::Migrate migrate = store::Migrate::automatically;
  int threads = 0;  // 0 = one a core, at least two
  log::Level log_level = log::Level::info;
  log::Format log_format = log::Format::text;
  Duration shutdown_grace = 10s;
  std::string templates;  // a folder; empty = none
  std::string tls_cert;   // both or none; empty = plain HTTP
  std::string tls_key;
  bool plain_keys = false;   // API keys may be sent over plain HTTP to an address that others can reach
  http::ServerOptions http;  // without host, port, threads and TLS, which follow from the above
  rpc::ServerOptions grpc;   // likewise
  engine::CommitQueueOptions commits;
  domain::RetryPolicy retry;  // of tasks that do not say otherwise
  Duration swept_every = 1h;  // what retention may remove
  ExportSettings exports;
  domain::TenantLimits limits;
  DispatchOptions dispatch;
  std::map<std::string, domain::QueueOptions> queues;  // of all tenants that say nothing else
};

struct Address {
  std::string host;
  std::uint16_t port = 0;

  /// Only 127.0.0.0/8, ::1 and localhost can be reached from this machine alone.
  bool is_loopback() const;
};

/// "127.0.0.1:7420", "[::1]:0", "localhost:80".
Result<Address> parse_address(std::string_view text);

/// The same, or nothing for "off".
Result<std::optional<Address>> parse_grpc_address(std::string_view text);

}  // namespace semel::server
