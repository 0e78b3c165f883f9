#include "base/ensure.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/open_workflow.hpp"

namespace semel::store {
namespace sqlite {
namespace {

#define SEMEL_FACTS_COLUMNS \
  "phase, history_length, history_bytes, first_event, seen, last_command, first_command, open_children"

domain::code::Facts read_code_facts(const Statement& row) {
  domain::code::Facts facts;
  facts.phase = static_cast<domain::RunPhase>(row.integer(0));
  facts.history_length = row.integer(1);
  facts.history_bytes = row.integer(2);
  facts.first_event = row.integer(3);
  facts.seen = row.integer(4);
  facts.last_command = row.integer(5);
  facts.first_command = row.integer(6);
  facts.open_children = row.integer(7);
  return facts;
}

}  // namespace

Activation read_activation(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id) {
  Scoped query = connection.use(
      "SELECT w.phase, w.history_length, w.history_bytes, w.first_event, w.seen, w.last_command, w.first_command,"
      " w.open_children, h.sequence, h.at, h.kind, h.task_key, h.detail FROM workflows w LEFT JOIN history h"
      " ON h.tenant_id = w.tenant_id AND h.run = w.id AND h.sequence > w.seen WHERE w.tenant_id = ?1 AND w.id = ?2"
      " ORDER BY h.sequence");
  query->bind(1, tenant_id).bind(2, id.uuid);
  ensure(query->step());  // it goes with its execution
  Activation activation = activation_of(read_code_facts(*query));
  ActivationEvents events;
  const auto add = [&] {
    return events.add({query->integer(8),
                       query->time(9),
                       {static_cast<domain::HistoryKind>(query->integer(10)), query->text(11), query->text(12)}});
  };
  bool has_room = !query->is_null(8) && add();
  while (has_room && query->step()) has_room = add();
  activation.events = events.take();
  return activation;
}

}  // namespace sqlite

std::optional<StoredWorkflow> SqliteStore::workflow(std::string_view tenant, domain::ExecutionId id) {
  const auto tenant_id = inner_->tenants.find(tenant);
  if (!tenant_id) return std::nullopt;
  auto reader = inner_->readers.borrow();
  const sqlite::Snapshot snapshot(*reader);
  StoredWorkflow stored;
  {
    sqlite::Scoped query =
        (*reader).use("SELECT " SEMEL_FACTS_COLUMNS ", status FROM workflows WHERE tenant_id = ?1 AND id = ?2");
    query->bind(1, *tenant_id).bind(2, id.uuid);
    if (!query->step()) return std::nullopt;
    stored.facts = sqlite::read_code_facts(*query);
    stored.status = query->optional_text(8);
  }
  sqlite::Scoped query =
      (*reader).use("SELECT command, fire_at FROM timers WHERE tenant_id = ?1 AND run = ?2 ORDER BY command");
  query->bind(1, *tenant_id).bind(2, id.uuid);
  while (query->step()) stored.timers.push_back({query->integer(0), query->time(1)});
  return stored;
}

}  // namespace semel::store
