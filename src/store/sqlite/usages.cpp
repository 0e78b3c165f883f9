#include "store/sqlite/usages.hpp"

namespace semel::store::sqlite {

void Usages::load(Connection& connection) {
  if (!limits_.is_set()) return;
  Scoped query = connection.use(
      "SELECT tenant_id, count(*), sum(length(CAST(context AS BLOB))) FROM executions WHERE closed_at IS NULL"
      " GROUP BY tenant_id");
  while (query->step()) {
    now_[query->integer(0)] = {static_cast<std::uint64_t>(query->integer(1)),
                               static_cast<std::uint64_t>(query->integer(2))};
  }
}

std::optional<Error> Usages::refusal(std::int64_t tenant_id, std::uint64_t context_bytes) const {
  if (!limits_.is_set()) return std::nullopt;
  const auto found = now_.find(tenant_id);
  return domain::refusal_by_limits(limits_, found == now_.end() ? domain::Usage{} : found->second, context_bytes);
}

domain::Usage& Usages::change(std::int64_t tenant_id) {
  domain::Usage& usage = now_[tenant_id];
  before_.emplace(tenant_id, usage);  // the first time only
  return usage;
}

void Usages::opened(std::int64_t tenant_id, std::uint64_t context_bytes) {
  if (!limits_.is_set()) return;
  domain::Usage& usage = change(tenant_id);
  usage.open_tasks += 1;
  usage.payload_bytes += context_bytes;
}

void Usages::closed(Connection& connection, std::int64_t seq) {
  if (!limits_.is_set()) return;
  Scoped query = connection.use("SELECT tenant_id, length(CAST(context AS BLOB)) FROM executions WHERE seq = ?1");
  query->bind(1, seq);
  if (!query->step()) return;
  domain::Usage& usage = change(query->integer(0));
  usage.open_tasks -= 1;
  usage.payload_bytes -= static_cast<std::uint64_t>(query->integer(1));
}

void Usages::rolled_back() {
  for (const auto& [tenant_id, usage] : before_) now_[tenant_id] = usage;
  before_.clear();
}

}  // namespace semel::store::sqlite
