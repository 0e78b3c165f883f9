#include <algorithm>

#include "base/ensure.hpp"
#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {
namespace {

struct Candidate {
  std::int64_t seq;
  std::int64_t priority;
  std::int64_t order_at;
  Uuid id;

  /// Whether this one is claimed before the other.
  bool before(const Candidate& other) const {
    if (priority != other.priority) return priority > other.priority;
    if (order_at != other.order_at) return order_at < other.order_at;
    return id < other.id;
  }
};

/// The handlers that have ready tasks in a queue: one look into the index for each, however many tasks it has.
std::vector<std::string> ready_handlers(Connection& connection, std::int64_t tenant_id, const std::string& queue) {
  std::vector<std::string> handlers;
  std::string last;
  while (true) {
    Scoped query = connection.use(
        "SELECT handler FROM executions INDEXED BY executions_ready"
        " WHERE phase = 1 AND tenant_id = ?1 AND queue = ?2 AND handler > ?3 ORDER BY handler LIMIT 1");
    query->bind(1, tenant_id).bind(2, queue).bind(3, last);
    if (!query->step()) return handlers;
    last = query->text(0);
    handlers.push_back(last);
  }
}

void collect(Connection& connection, std::int64_t tenant_id, const std::string& queue, const std::string& handler,
             std::vector<Candidate>& candidates, std::size_t max) {
  Scoped query = connection.use(
      "SELECT seq, priority, order_at, id FROM executions INDEXED BY executions_ready"
      " WHERE phase = 1 AND tenant_id = ?1 AND queue = ?2 AND handler = ?3"
      " ORDER BY priority DESC, order_at, id LIMIT ?4");
  query->bind(1, tenant_id).bind(2, queue).bind(3, handler).bind(4, static_cast<std::int64_t>(max));
  while (query->step()) candidates.push_back({query->integer(0), query->integer(1), query->integer(2), query->uuid(3)});
}

/// The best ready tasks over all queues and handlers asked for, best first.
std::vector<Candidate> choose(Batch& batch, std::int64_t tenant_id, const Claim& command) {
  std::vector<Candidate> candidates;
  const std::size_t max = command.attempt_ids.size();
  std::vector<std::string> queues = command.queues;
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  for (const std::string& queue : queues) {
    std::vector<std::string> handlers =
        command.handlers ? *command.handlers : ready_handlers(batch.connection, tenant_id, queue);
    std::sort(handlers.begin(), handlers.end());
    handlers.erase(std::unique(handlers.begin(), handlers.end()), handlers.end());
    for (const std::string& handler : handlers) collect(batch.connection, tenant_id, queue, handler, candidates, max);
  }
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.before(b); });
  if (candidates.size() > max) candidates.resize(max);
  return candidates;
}

/// Nothing when its deadline has passed: then it is closed.
std::optional<Lease> lease(Batch& batch, std::int64_t tenant_id, const Claim& command, std::int64_t seq,
                           domain::AttemptId attempt_id) {
  auto row = find_by_seq(batch.connection, command.tenant, seq);
  ensure(row.has_value());
  domain::Execution& execution = row->execution;
  if (is_late(execution, batch.now)) {
    time_out(batch, *row);
    return std::nullopt;
  }
  const Time lease_until = lease_end(execution, batch.now, batch.now, command.lease);
  execution.state = *domain::next(execution.state, domain::Event::claimed);
  execution.attempt += 1;
  if (!execution.started_at) execution.started_at = batch.now;
  execution.progress.reset();
  batch.connection
      .use(
          "UPDATE executions SET state = ?2, phase = 0, attempt = ?4, started_at = ?3, progress = NULL,"
          " progress_message = NULL WHERE seq = ?1")
      ->bind(1, seq)
      .bind(2, static_cast<std::int64_t>(execution.state))
      .bind(3, execution.started_at)
      .bind(4, std::int64_t{execution.attempt})
      .run();
  batch.connection
      .use(
          "INSERT INTO attempts (id, tenant_id, seq, number, worker, started_at, lease_until, outcome)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)")
      ->bind(1, attempt_id.uuid)
      .bind(2, tenant_id)
      .bind(3, seq)
      .bind(4, std::int64_t{execution.attempt})
      .bind(5, command.worker)
      .bind(6, batch.now)
      .bind(7, lease_until)
      .run();
  tell(batch, execution, execution.state).timer = lease_until;
  return Lease{std::move(execution), attempt_id, lease_until};
}

}  // namespace

Outcome apply(Batch& batch, const Claim& command) {
  Claimed claimed;
  const auto tenant_id = batch.tenants.find(command.tenant);
  if (!tenant_id) return claimed;
  const std::vector<Candidate> chosen = choose(batch, *tenant_id, command);
  if (!chosen.empty()) batch.begin_writing();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    auto leased = lease(batch, *tenant_id, command, chosen[i].seq, command.attempt_ids[i]);
    if (leased) claimed.leases.push_back(*std::move(leased));
  }
  return claimed;
}

Outcome apply(Batch& batch, const PromoteDue& command) {
  Promoted promoted;
  std::vector<std::int64_t> due;
  {
    Scoped query = batch.connection.use(
        "SELECT seq, tenant_id, queue FROM executions WHERE phase = 2 AND run_at <= ?1 ORDER BY run_at LIMIT ?2");
    query->bind(1, batch.now).bind(2, std::int64_t{command.max});
    while (query->step()) {
      due.push_back(query->integer(0));
      promoted.queues.emplace_back(batch.tenants.name_of(query->integer(1)), query->text(2));
    }
  }
  std::sort(promoted.queues.begin(), promoted.queues.end());
  promoted.queues.erase(std::unique(promoted.queues.begin(), promoted.queues.end()), promoted.queues.end());
  if (!due.empty()) batch.begin_writing();
  for (const std::int64_t seq : due) {
    batch.connection.use("UPDATE executions SET phase = 1 WHERE seq = ?1")->bind(1, seq).run();
  }
  promoted.more = due.size() == static_cast<std::size_t>(command.max);
  return promoted;
}

}  // namespace semel::store::sqlite
