#include "store/postgres/usages.hpp"

#include <algorithm>

namespace semel::store::postgres {

/// May be a little below nothing for a moment, when others have closed what this one counts late.
domain::Usage Usages::now(const std::string& tenant) {
  auto found = read_.find(tenant);
  if (found == read_.end()) {
    const Rows rows = connection_.run(
        "SELECT coalesce(sum(open_tasks), 0)::bigint, coalesce(sum(payload_bytes), 0)::bigint FROM usages WHERE tenant "
        "= $1",
        tenant);
    const auto count = [&](int column) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(0, rows[0].integer(column)));
    };
    found = read_.emplace(tenant, domain::Usage{count(0), count(1)}).first;
  }
  const Delta delta = deltas_[tenant];
  const auto sum = [](std::uint64_t before, std::int64_t more) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(before) + more));
  };
  return {sum(found->second.open_tasks, delta.tasks), sum(found->second.payload_bytes, delta.bytes)};
}

std::optional<Error> Usages::refusal(const std::string& tenant, std::uint64_t context_bytes) {
  if (!limits_.is_set()) return std::nullopt;
  return domain::refusal_by_limits(limits_, now(tenant), context_bytes);
}

bool Usages::fits(const std::string& tenant, const domain::Usage& more) {
  if (!limits_.is_set()) return true;
  const domain::Usage usage = now(tenant);
  const bool tasks_fit = limits_.open_tasks == 0 || usage.open_tasks + more.open_tasks <= limits_.open_tasks;
  const bool bytes_fit =
      limits_.payload_bytes == 0 || usage.payload_bytes + more.payload_bytes <= limits_.payload_bytes;
  return tasks_fit && bytes_fit;
}

void Usages::opened(const std::string& tenant, std::uint64_t context_bytes) {
  if (!limits_.is_set()) return;
  deltas_[tenant].tasks += 1;
  deltas_[tenant].bytes += static_cast<std::int64_t>(context_bytes);
}

void Usages::closed(const std::string& tenant, std::uint64_t context_bytes) {
  if (!limits_.is_set()) return;
  deltas_[tenant].tasks -= 1;
  deltas_[tenant].bytes -= static_cast<std::int64_t>(context_bytes);
}

void Usages::flush() {
  Array tenants(Type::text);
  Array tasks(Type::integer);
  Array bytes(Type::integer);
  for (const auto& [tenant, delta] : deltas_) {
    if (delta.tasks == 0 && delta.bytes == 0) continue;
    tenants.add(tenant);
    tasks.add(delta.tasks);
    bytes.add(delta.bytes);
  }
  if (tenants.size() == 0) return;
  connection_.run(
      "INSERT INTO usages AS u (tenant, stripe, open_tasks, payload_bytes)"
      " SELECT b.tenant, pg_backend_pid() % 64, b.tasks, b.bytes FROM unnest($1::text[], $2::bigint[], $3::bigint[])"
      " AS b (tenant, tasks, bytes) ORDER BY b.tenant COLLATE \"C\""
      " ON CONFLICT (tenant, stripe) DO UPDATE SET open_tasks = u.open_tasks + excluded.open_tasks,"
      " payload_bytes = u.payload_bytes + excluded.payload_bytes",
      tenants, tasks, bytes);
}

/// The lock waits for those who have counted and not yet committed; who counts later adds to the new sums. So nothing
/// is counted twice or left out.
void recount_usages(Connection& connection) {
  connection.begin();
  try {
    connection.execute("SET LOCAL statement_timeout = 0; LOCK TABLE usages IN EXCLUSIVE MODE; DELETE FROM usages");
    connection.run(
        "INSERT INTO usages (tenant, stripe, open_tasks, payload_bytes)"
        " SELECT tenant, 0, count(*), sum(octet_length(context)) FROM executions WHERE closed_at IS NULL GROUP BY "
        "tenant");
    connection.commit();
  } catch (...) {
    connection.roll_back();
    throw;
  }
}

}  // namespace semel::store::postgres
