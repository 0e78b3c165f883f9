#include "server/open_store.hpp"

#include "store/postgres/postgres_store.hpp"

namespace semel::server {

std::unique_ptr<Store> open_store(const StoreOptions& options, const Clock& clock) {
  if (options.target.kind == StoreTarget::Kind::sqlite) {
    return std::make_unique<store::SqliteStore>(options.target.place, clock, options.sqlite);
  }
  store::PostgresOptions made;
  made.connections = options.postgres_connections;
  made.readers = options.postgres_readers;
  made.limits = options.sqlite.limits;
  made.migrate = options.sqlite.migrate;
  return std::make_unique<store::PostgresStore>(options.target.place, made);
}

}  // namespace semel::server
