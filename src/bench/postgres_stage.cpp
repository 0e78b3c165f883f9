#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bench/stage.hpp"
#include "store/postgres/ceiling.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_store.hpp"

namespace semel::bench {
namespace {

using store::postgres::Connection;

constexpr int raw_connections = 4;  // as many as a server has
constexpr int raw_clients = 32;     // where each commit is of one row

/// A database that is removed with this object.
class TemporaryDatabase {
 public:
  TemporaryDatabase(const std::string& cluster, std::string name, const std::string& copy_of = "")
      : cluster_(cluster), name_(std::move(name)) {
    const std::string copied = copy_of.empty() ? "" : fmt::format(" TEMPLATE \"{}\"", copy_of);
    Connection(cluster_).execute(fmt::format("CREATE DATABASE \"{}\"{}", name_, copied));
  }
  ~TemporaryDatabase() {
    try {
      Connection(cluster_).execute(fmt::format("DROP DATABASE IF EXISTS \"{}\" WITH (FORCE)", name_));
    } catch (const StoreFault&) {  // the cluster has gone, and the database with it
    }
  }
  TemporaryDatabase(const TemporaryDatabase&) = delete;
  TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;

  const std::string& name() const { return name_; }

 private:
  const std::string cluster_;
  const std::string name_;
};

/// The URL with another database in the place of its own.
std::string with_database(const std::string& url, const std::string& database) {
  const std::size_t authority = url.find("://") + 3;
  const std::size_t query = std::min(url.find('?', authority), url.size());
  const std::size_t path = std::min(url.find('/', authority), query);
  return url.substr(0, path) + "/" + database + url.substr(query);
}

class PostgresStage final : public Stage {
 public:
  explicit PostgresStage(std::string cluster)
      : cluster_(std::move(cluster)), database_(cluster_, fmt::format("semel_bench_{}", ::getpid())) {}

  std::string name() const override { return "postgres"; }
  std::string url() const override { return with_database(cluster_, database_.name()); }
  std::unique_ptr<Store> open() const override { return std::make_unique<store::PostgresStore>(url()); }

  /// Groups as arrays over as many connections as a server has; single rows over as many clients as need it.
  std::unique_ptr<store::Ceiling> open_raw(const Raw& raw) const override {
    raw_.reset();
    raw_ = std::make_unique<TemporaryDatabase>(cluster_, fmt::format("semel_raw_{}", ::getpid()),
                                               raw.is_copy ? database_.name() : "");
    store::PostgresCeilingOptions options;
    options.target = with_database(cluster_, raw_->name());
    options.clients = raw.batch == 1 ? std::min(raw_clients, static_cast<int>(raw.in_flight)) : raw_connections;
    options.group = raw.batch == 1 ? 1 : std::max<std::size_t>(1, raw.in_flight * raw.batch / raw_connections);
    options.prefill = raw.prefill;
    options.is_copy = raw.is_copy;
    options.context_bytes = raw.context_bytes;
    options.result = raw.result;
    return std::make_unique<store::PostgresCeiling>(options);
  }

 private:
  const std::string cluster_;
  const TemporaryDatabase database_;
  mutable std::unique_ptr<TemporaryDatabase> raw_;
};

}  // namespace

std::unique_ptr<Stage> make_postgres_stage(const std::string& url) { return std::make_unique<PostgresStage>(url); }

}  // namespace semel::bench
