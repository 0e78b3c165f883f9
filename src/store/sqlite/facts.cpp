#include "store/sqlite/facts.hpp"

namespace semel::store::sqlite {

std::int64_t read_fact(Connection& connection, std::string_view name) {
  Scoped query = connection.use("SELECT value FROM facts WHERE name = ?1");
  query->bind(1, name);
  return query->step() ? query->integer(0) : 0;
}

void write_fact(Connection& connection, std::string_view name, std::int64_t value) {
  Scoped upsert = connection.use(
      "INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value");
  upsert->bind(1, name).bind(2, value).run();
}

}  // namespace semel::store::sqlite
