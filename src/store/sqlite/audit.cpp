#include "store/sqlite/audit.hpp"

#include <limits>

namespace semel::store::sqlite {

void write_audit(Batch& batch, std::int64_t tenant_id, std::string_view actor, std::string_view action,
                 std::string_view subject) {
  batch.connection.use("INSERT INTO audit (tenant_id, at, actor, action, subject) VALUES (?1, ?2, ?3, ?4, ?5)")
      ->bind(1, tenant_id)
      .bind(2, batch.now)
      .bind(3, actor)
      .bind(4, action)
      .bind(5, subject)
      .run();
}

std::vector<AuditEntry> read_audit(Connection& connection, std::int64_t tenant_id, std::optional<std::int64_t> before,
                                   std::size_t limit) {
  Scoped query = connection.use(
      "SELECT seq, at, actor, action, subject FROM audit WHERE tenant_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3");
  query->bind(1, tenant_id).bind(2, before.value_or(std::numeric_limits<std::int64_t>::max()));
  query->bind(3, static_cast<std::int64_t>(limit));
  std::vector<AuditEntry> entries;
  while (query->step()) {
    entries.push_back({query->integer(0), query->time(1), query->text(2), query->text(3), query->text(4)});
  }
  return entries;
}

}  // namespace semel::store::sqlite
