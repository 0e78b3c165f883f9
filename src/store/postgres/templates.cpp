#include "store/postgres/batch.hpp"

namespace semel::store::postgres {

Outcome apply(Batch& batch, const PutTemplate& command) {
  lock_name(batch, "semel.template/" + command.tenant + "/" + command.namespace_ + "/" + command.name);
  const Rows newest = batch.connection.run(
      "SELECT revision, removed_at IS NOT NULL, document FROM templates WHERE tenant = $1 AND namespace = $2"
      " AND name = $3 AND version = $4 ORDER BY revision DESC LIMIT 1",
      command.tenant, command.namespace_, command.name, command.version);
  const int revision = newest.empty() ? 0 : newest[0].small(0);
  const bool same = !newest.empty() && !newest[0].boolean(1) && newest[0].view(2) == command.document;
  if (same) return TemplateStored{revision, false};
  batch.connection.run(
      "INSERT INTO templates (tenant, namespace, name, version, revision, document, created_at)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7)",
      command.tenant, command.namespace_, command.name, command.version, revision + 1, command.document, batch.now);
  return TemplateStored{revision + 1, true};
}

Outcome apply(Batch& batch, const RemoveTemplate& command) {
  const Rows rows = batch.connection.run(
      "WITH removed AS (UPDATE templates SET removed_at = $5 WHERE tenant = $1 AND namespace = $2 AND name = $3"
      " AND ($4 = '' OR version = $4) AND removed_at IS NULL RETURNING version)"
      " SELECT count(DISTINCT version) FROM removed",
      command.tenant, command.namespace_, command.name, command.version, batch.now);
  return TemplateRemoved{rows[0].small(0)};
}

}  // namespace semel::store::postgres
