#include <algorithm>

#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {
namespace {

struct Newest {
  int revision = 0;
  bool removed = false;
  std::string document;
};

Newest newest_revision(Batch& batch, std::int64_t tenant_id, const PutTemplate& command) {
  Scoped query = batch.connection.use(
      "SELECT revision, removed_at IS NOT NULL, document FROM templates"
      " WHERE tenant_id = ?1 AND namespace = ?2 AND name = ?3 AND version = ?4 ORDER BY revision DESC LIMIT 1");
  query->bind(1, tenant_id).bind(2, command.namespace_).bind(3, command.name).bind(4, command.version);
  if (!query->step()) return {};
  return {query->small(0), query->integer(1) != 0, query->text(2)};
}

}  // namespace

Outcome apply(Batch& batch, const PutTemplate& command) {
  batch.begin_writing();
  const std::int64_t tenant_id = batch.tenants.id_of(batch.connection, command.tenant);
  const Newest newest = newest_revision(batch, tenant_id, command);
  const bool same = newest.revision > 0 && !newest.removed && newest.document == command.document;
  if (same) return TemplateStored{newest.revision, false};
  batch.connection
      .use(
          "INSERT INTO templates (tenant_id, namespace, name, version, revision, document, created_at)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      ->bind(1, tenant_id)
      .bind(2, command.namespace_)
      .bind(3, command.name)
      .bind(4, command.version)
      .bind(5, std::int64_t{newest.revision + 1})
      .bind(6, command.document)
      .bind(7, batch.now)
      .run();
  return TemplateStored{newest.revision + 1, true};
}

Outcome apply(Batch& batch, const RemoveTemplate& command) {
  TemplateRemoved removed;
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return removed;
  batch.begin_writing();
  Scoped update = batch.connection.use(
      "UPDATE templates SET removed_at = ?5 WHERE tenant_id = ?1 AND namespace = ?2 AND name = ?3"
      " AND (?4 = '' OR version = ?4) AND removed_at IS NULL RETURNING version");
  update->bind(1, *tenant_id)
      .bind(2, command.namespace_)
      .bind(3, command.name)
      .bind(4, command.version)
      .bind(5, batch.now);
  std::vector<std::string> versions;
  while (update->step()) versions.push_back(update->text(0));
  std::sort(versions.begin(), versions.end());
  removed.count = static_cast<int>(std::unique(versions.begin(), versions.end()) - versions.begin());
  return removed;
}

}  // namespace semel::store::sqlite
