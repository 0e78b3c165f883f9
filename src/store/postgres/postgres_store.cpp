#include "store/postgres/postgres_store.hpp"

#include <algorithm>

#include "store/postgres/archive.hpp"
#include "store/postgres/attempt_row.hpp"
#include "store/postgres/closed.hpp"
#include "store/postgres/dispatch_row.hpp"
#include "store/postgres/duplicates.hpp"
#include "store/postgres/inner.hpp"
#include "store/postgres/keys.hpp"
#include "store/postgres/schedules.hpp"

namespace semel::store {

using postgres::Connection;
using postgres::FoundHolder;
using postgres::Row;
using postgres::Rows;
using postgres::TenantAndHash;
using postgres::TenantAndId;

namespace {

std::vector<StoredTemplate> templates_of(const Rows& rows) {
  std::vector<StoredTemplate> templates;
  for (const Row row : rows)
    templates.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.small(4), row.text(5)});
  return templates;
}

}  // namespace

PostgresStore::PostgresStore(const std::string& target, PostgresOptions options)
    : inner_(std::make_unique<Inner>(target, options)) {}
PostgresStore::~PostgresStore() = default;

Applied PostgresStore::apply(std::span<const Command> commands) {
  Applied applied = inner_->apply(commands);
  if (inner_->tells) inner_->announcer.tell(commands, applied);
  return applied;
}
int PostgresStore::appliers() const { return inner_->writers.size(); }

void PostgresStore::listen(std::function<void(const News&)> heard) {
  inner_->listener.reset();
  if (!heard) return;
  inner_->tells = true;
  inner_->listener =
      std::make_unique<postgres::Listener>(inner_->target, inner_->server, inner_->leads, std::move(heard));
}

bool PostgresStore::leads() { return inner_->leads; }
Time PostgresStore::now() const { return inner_->clock.now(); }

std::vector<std::optional<Held>> PostgresStore::probe(std::span<Submit* const> submissions) {
  std::vector<TenantAndId> ids;
  std::vector<TenantAndHash> identities;
  for (const Submit* submit : submissions) {
    const domain::ExecutionSpec& spec = submit->spec;
    if (spec.client_made_id) ids.emplace_back(spec.tenant, spec.id);
    if (spec.identity.mode != domain::Mode::none) identities.emplace_back(spec.tenant, spec.identity.hash);
  }
  if (ids.empty() && identities.empty()) return std::vector<std::optional<Held>>(submissions.size());
  return inner_->read([&](Connection& connection) {
    const Time time = now();
    std::map<TenantAndId, FoundHolder> by_id;
    if (!ids.empty()) by_id = find_by_client_ids(connection, ids, time);
    const std::map<TenantAndHash, FoundHolder> by_hash = find_holders(connection, identities);
    std::vector<std::optional<Held>> found(submissions.size());
    for (std::size_t i = 0; i < submissions.size(); ++i) {
      const domain::ExecutionSpec& spec = submissions[i]->spec;
      const auto same = spec.client_made_id ? by_id.find({spec.tenant, spec.id}) : by_id.end();
      if (same != by_id.end()) found[i] = FoundHolder(same->second).held(true);
      if (found[i] || spec.identity.mode == domain::Mode::none) continue;
      const auto holder = by_hash.find({spec.tenant, spec.identity.hash});
      if (holder == by_hash.end()) continue;
      if (!takes_over(decide(holder->second.holder(), submissions[i]->reuse, time)))
        found[i] = FoundHolder(holder->second).held(false);
    }
    return found;
  });
}

std::optional<domain::Execution> PostgresStore::find(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) -> std::optional<domain::Execution> {
    auto row = find_anywhere(connection, tenant, id);
    if (!row) return std::nullopt;
    return std::move(row->execution);
  });
}

std::optional<domain::Execution> PostgresStore::find_departed(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) -> std::optional<domain::Execution> {
    const Rows rows = connection.run(
        "SELECT " SEMEL_EXECUTION_COLUMNS " FROM departed e WHERE e.tenant = $1 AND e.id = $2", tenant, id);
    if (rows.empty()) return std::nullopt;
    return postgres::read_execution(rows[0]).execution;
  });
}

bool PostgresStore::archive() { return inner_->archive.run(); }

std::optional<domain::Holder> PostgresStore::find_tombstone(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) -> std::optional<domain::Holder> {
    auto row = postgres::find_tombstone(connection, tenant, id);
    if (!row) return std::nullopt;
    return std::move(row->holder);
  });
}

std::optional<Held> PostgresStore::find_holder(std::string_view tenant, const Hash32& hash) {
  return inner_->read([&](Connection& connection) -> std::optional<Held> {
    const TenantAndHash identity{tenant, hash};
    auto found = find_holders(connection, {&identity, 1});
    if (found.empty()) return std::nullopt;
    return std::move(found.begin()->second).held(false);
  });
}

std::vector<domain::Attempt> PostgresStore::attempts(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) { return postgres::read_attempts(connection, tenant, id); });
}

std::vector<domain::Attempt> PostgresStore::running_attempts(std::string_view tenant,
                                                             std::span<const domain::ExecutionId> ids) {
  return inner_->read([&](Connection& connection) { return postgres::read_running(connection, tenant, ids); });
}

DuplicateTally PostgresStore::duplicates(std::string_view tenant, domain::ExecutionId id) {
  return inner_->read([&](Connection& connection) { return read_duplicates(connection, tenant, id); });
}

std::vector<StoredTemplate> PostgresStore::templates() {
  return inner_->read([](Connection& connection) {
    return templates_of(connection.run(
        "SELECT DISTINCT ON (tenant, namespace, name, version) tenant, namespace, name, version, revision, document"
        " FROM templates WHERE removed_at IS NULL ORDER BY tenant, namespace, name, version, revision DESC"));
  });
}

std::vector<StoredTemplate> PostgresStore::template_versions(std::string_view tenant, std::string_view namespace_,
                                                             std::string_view name) {
  return inner_->read([&](Connection& connection) {
    return templates_of(connection.run(
        "SELECT DISTINCT ON (version) tenant, namespace, name, version, revision, document FROM templates"
        " WHERE tenant = $1 AND namespace = $2 AND name = $3 AND removed_at IS NULL ORDER BY version, revision DESC",
        tenant, namespace_, name));
  });
}

std::vector<StoredQueue> PostgresStore::queues() {
  return inner_->read([](Connection& connection) { return postgres::read_queues(connection); });
}

std::vector<domain::ApiKey> PostgresStore::api_keys() {
  return inner_->read([](Connection& connection) { return postgres::read_keys(connection); });
}

std::vector<AuditEntry> PostgresStore::audit(std::string_view tenant, std::optional<std::int64_t> before,
                                             std::size_t limit) {
  return inner_->read([&](Connection& connection) { return read_audit(connection, tenant, before, limit); });
}

std::optional<domain::ScheduleRecord> PostgresStore::schedule(std::string_view tenant, std::string_view name) {
  return inner_->read([&](Connection& connection) { return find_schedule(connection, tenant, name); });
}

std::vector<domain::ScheduleRecord> PostgresStore::schedules(std::string_view tenant, std::string_view after,
                                                             std::size_t limit) {
  return inner_->read([&](Connection& connection) { return read_schedules(connection, tenant, after, limit); });
}

std::vector<domain::ScheduleRecord> PostgresStore::due_schedules(Time until, std::size_t limit) {
  return inner_->read([&](Connection& connection) { return read_due_schedules(connection, until, limit); });
}

std::optional<Time> PostgresStore::next_schedule() {
  return inner_->read([](Connection& connection) { return postgres::next_due_schedule(connection); });
}

std::vector<StoredDispatch> PostgresStore::dispatches(const DispatchQuery& query) {
  return inner_->read([&](Connection& connection) { return postgres::read_dispatches(connection, query); });
}

std::vector<DispatchDepth> PostgresStore::dispatch_depths() {
  return inner_->read([](Connection& connection) { return postgres::read_dispatch_depths(connection); });
}

std::optional<Time> PostgresStore::next_dispatch() {
  return inner_->read([](Connection& connection) {
    return connection.run("SELECT min(d.next_send_at) FROM dispatches d WHERE d.next_send_at IS NOT NULL")[0]
        .optional_time(0);
  });
}

std::optional<Time> PostgresStore::next_timer() {
  return inner_->read([](Connection& connection) {
    return connection
        .run(
            "SELECT least((SELECT min(a.lease_until) FROM attempts a WHERE a.outcome = 0),"
            " (SELECT min(e.run_at) FROM executions e WHERE e.phase = 2), (SELECT min(t.fire_at) FROM timers t),"
            " (SELECT min(e.deadline) FROM executions e WHERE e.deadline IS NOT NULL AND e.state IN (0, 2)"
            " AND NOT e.cancel_requested))")[0]
        .optional_time(0);
  });
}

}  // namespace semel::store
