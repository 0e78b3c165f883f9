#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "api/http/app.hpp"
#include "api/http/transport/server.hpp"
#include "domain/template.hpp"
#include "engine/engine.hpp"
#include "ports/authenticator.hpp"
#include "ports/clock.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace semel::server {

struct InstanceOptions {
  std::filesystem::path file;
  http::ServerOptions http;
  store::SqliteOptions sqlite;
  engine::CommitQueueOptions commits;
  std::vector<domain::Template> templates;  // put before the first request is taken
};

/// A whole server in one object: the parts, in the order in which they need each other. Starts in its constructor and
/// stops in the reverse order: no new requests, what is in flight is finished, waits are ended, the last commits are
/// made, the store is checkpointed. Clock and authenticator must outlive it; tests inject their own.
class Instance {
 public:
  Instance(InstanceOptions options, const Clock& clock, const Authenticator& authenticator);
  ~Instance();

  void stop(Duration grace);
  Result<void> reload_certificate() { return http_.reload_certificate(); }

  std::string address() const { return http_.address(); }
  engine::Engine& engine() { return engine_; }
  store::SqliteStore& store() { return store_; }
  std::size_t connections() const { return http_.connections(); }

 private:
  store::SqliteStore store_;
  engine::Engine engine_;
  http::App app_;
  http::Server http_;
};

}  // namespace semel::server
