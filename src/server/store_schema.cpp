#include "server/store_schema.hpp"

#include "server/refusing.hpp"
#include "store/dedup_cache/examine_cache.hpp"
#include "store/postgres/examine.hpp"
#include "store/postgres/migrate.hpp"
#include "store/sqlite/migrate.hpp"

namespace semel::server {

Result<store::SchemaState> migrate_store(const StoreTarget& target) {
  return refusing([&] {
    const bool is_file = target.kind == StoreTarget::Kind::sqlite;
    return is_file ? store::sqlite::migrate_file(target.place) : store::postgres::migrate_database(target.place);
  });
}

Result<store::SchemaState> look_at_schema(const StoreTarget& target) {
  return refusing([&] {
    const bool is_file = target.kind == StoreTarget::Kind::sqlite;
    return is_file ? store::sqlite::look_at_schema(target.place) : store::postgres::look_at_schema(target.place);
  });
}

store::Findings examine_database(const std::string& target) {
  const SystemClock clock;
  return store::postgres::examine(target, clock);
}

Result<store::Findings> examine_dedup_cache(const std::string& url) {
  return store::parse_redis(url).map([](const store::RedisTarget& target) { return store::examine_cache(target); });
}

}  // namespace semel::server
