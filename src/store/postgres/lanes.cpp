#include <algorithm>
#include <tuple>

#include "store/postgres/claim_set.hpp"
#include "store/postgres/workflows.hpp"

/// How ready tasks are found: by lanes, each a range of the index executions_ready.
namespace semel::store::postgres {
namespace {

void sort_unique(std::vector<std::string>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

bool intersect(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return std::any_of(one.begin(), one.end(),
                     [&](const std::string& each) { return std::binary_search(other.begin(), other.end(), each); });
}

Array texts(const std::vector<std::string>& items) {
  Array array(Type::text);
  for (const std::string& each : items) array.add(each);
  return array;
}

/// Beyond those that are asked for, so that a claim finds tasks behind those that its neighbours are just taking; more
/// of them with every look that has found none.
std::int64_t with_spares(std::size_t count, int look) {
  return (std::int64_t{2} << (2 * look)) * static_cast<std::int64_t>(count) + 16;
}

// $1 tenant, $2 queues. Each queue with each handler that was asked for ($3), or that has ready tasks: found by one
// look into the index for each, however many tasks it has. Code workflows are only for those who name them.
#define SEMEL_LANES_OF_HANDLERS \
  "WITH lanes AS (SELECT q.queue, h.handler FROM unnest($2::text[]) AS q (queue), unnest($3::text[]) AS h (handler))"
#define SEMEL_LANES_OF_ALL                                                                                             \
  "WITH RECURSIVE found AS (SELECT q.queue, (SELECT e.handler FROM executions e WHERE e.tenant = $1"                   \
  " AND e.queue = q.queue AND e.phase = 1 ORDER BY e.handler LIMIT 1) AS handler FROM unnest($2::text[]) AS q (queue)" \
  " UNION ALL SELECT l.queue, (SELECT e.handler FROM executions e WHERE e.tenant = $1 AND e.queue = l.queue"           \
  " AND e.phase = 1 AND e.handler > CASE WHEN l.handler BETWEEN 'workflow:' AND 'workflow;' THEN 'workflow;'"          \
  " ELSE l.handler END ORDER BY e.handler LIMIT 1) FROM found l WHERE l.handler IS NOT NULL),"                         \
  " lanes AS (SELECT e.queue, e.handler FROM found e WHERE " SEMEL_NO_WORKFLOW_HANDLER ")"

#define SEMEL_BEST_OF_LANES(max)                                                                       \
  " FROM lanes l CROSS JOIN LATERAL (SELECT e.id, e.priority, e.order_at, e.handler FROM executions e" \
  " WHERE e.tenant = $1 AND e.queue = l.queue AND e.handler = l.handler AND e.phase = 1"               \
  " ORDER BY e.priority DESC, e.order_at, e.id LIMIT " max ") best"

#define SEMEL_IN_ORDER(max) " ORDER BY best.priority DESC, best.order_at, best.id LIMIT " max

// Locks the candidates one by one, in their order, until there are enough: no more are locked than are asked for. A row
// that was claimed in between is looked at again under its lock and dropped. The sum keeps the planner, which may know
// nothing yet of a table that was filled just now, from looking for single ids in the index of all that is ready.
#define SEMEL_LOCK_BEST(max)                                                                              \
  " SELECT " SEMEL_EXECUTION_COLUMNS                                                                      \
  " FROM candidates c CROSS JOIN LATERAL (SELECT * FROM executions x WHERE x.tenant = $1 AND x.id = c.id" \
  " AND x.phase + 0 = 1 FOR UPDATE SKIP LOCKED) e LIMIT " max

}  // namespace

bool Lanes::meets(const Lanes& other) const {
  if (tenant != other.tenant || !intersect(queues, other.queues)) return false;
  return !handlers || !other.handlers || intersect(*handlers, *other.handlers);
}

Lanes lanes_of(const Claim& command) {
  Lanes lanes{command.tenant, command.queues, command.handlers};
  sort_unique(lanes.queues);
  if (lanes.handlers) sort_unique(*lanes.handlers);
  return lanes;
}

bool Candidate::before(const Candidate& other) const {
  return std::tuple(-priority, order_at, id) < std::tuple(-other.priority, other.order_at, other.id);
}

bool has_ready(Connection& connection, const Lanes& lanes) {
  const Array queues = texts(lanes.queues);
  if (lanes.handlers) {
    return !connection
                .run(SEMEL_LANES_OF_HANDLERS " SELECT 1" SEMEL_BEST_OF_LANES("1") " LIMIT 1", lanes.tenant, queues,
                     texts(*lanes.handlers))
                .empty();
  }
  return !connection
              .run(
                  "SELECT 1 FROM unnest($2::text[]) AS q (queue) WHERE EXISTS (SELECT FROM executions e"
                  " WHERE e.tenant = $1 AND e.queue = q.queue AND e.phase = 1 AND e.handler < 'workflow:')"
                  " OR EXISTS (SELECT FROM executions e WHERE e.tenant = $1 AND e.queue = q.queue AND e.phase = 1"
                  " AND e.handler > 'workflow;') LIMIT 1",
                  lanes.tenant, queues)
              .empty();
}

std::vector<Candidate> best_ready(Connection& connection, const Lanes& lanes, const std::string& queue,
                                  std::int64_t max) {
  const Array queues = texts({queue});
  const Rows rows =
      lanes.handlers
          ? connection.run(SEMEL_LANES_OF_HANDLERS " SELECT best.*" SEMEL_BEST_OF_LANES("$4") SEMEL_IN_ORDER("$4"),
                           lanes.tenant, queues, texts(*lanes.handlers), max)
          : connection.run(SEMEL_LANES_OF_ALL " SELECT best.*" SEMEL_BEST_OF_LANES("$3") SEMEL_IN_ORDER("$3"),
                           lanes.tenant, queues, max);
  std::vector<Candidate> best;
  for (const Row row : rows) best.push_back({{row.uuid(0)}, row.integer(1), row.integer(2), row.text(3)});
  return best;
}

Look look_for_ready(const Lanes& lanes, std::size_t max, int look) {
  const Array queues = texts(lanes.queues);
  if (!lanes.handlers)
    return {SEMEL_LANES_OF_ALL ", candidates AS MATERIALIZED (SELECT best.id" SEMEL_BEST_OF_LANES("$3")
                SEMEL_IN_ORDER("$3") ")" SEMEL_LOCK_BEST("$4"),
            Parameters(lanes.tenant, queues, with_spares(max, look), max)};
  return {SEMEL_LANES_OF_HANDLERS ", candidates AS MATERIALIZED (SELECT best.id" SEMEL_BEST_OF_LANES("$4")
              SEMEL_IN_ORDER("$4") ")" SEMEL_LOCK_BEST("$5"),
          Parameters(lanes.tenant, queues, texts(*lanes.handlers), with_spares(max, look), max)};
}

std::vector<ExecutionRow> read_executions(const Rows& rows) {
  std::vector<ExecutionRow> read;
  for (const Row row : rows) read.push_back(read_execution(row));
  return read;
}

std::vector<ExecutionRow> lock_ready(Connection& connection, const Lanes& lanes, std::size_t max, int look) {
  const Look sent = look_for_ready(lanes, max, look);
  return read_executions(connection.run(sent.literal, sent.parameters));
}

std::vector<ExecutionRow> lock_candidates(Connection& connection, const std::string& tenant,
                                          std::span<const Candidate> candidates) {
  if (candidates.empty()) return {};
  Array ids(Type::uuid);
  for (const Candidate& each : candidates) ids.add(each.id);
  return read_executions(connection.run("SELECT " SEMEL_EXECUTION_COLUMNS
                                        " FROM unnest($2::uuid[]) WITH ORDINALITY AS c (id, place)"
                                        " JOIN executions e ON e.tenant = $1 AND e.id = c.id WHERE e.phase = 1"
                                        " ORDER BY c.place FOR UPDATE OF e SKIP LOCKED",
                                        tenant, ids));
}

}  // namespace semel::store::postgres
