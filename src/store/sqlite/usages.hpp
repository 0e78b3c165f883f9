#pragma once
#include <cstdint>
#include <unordered_map>

#include "domain/usage.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// What each tenant has open, in memory; kept only where there are limits. For the writer's thread.
class Usages {
 public:
  explicit Usages(domain::TenantLimits limits) : limits_(limits) {}

  /// Counts what is in the table.
  void load(Connection& connection);

  /// Why the tenant may not have one more, in the open transaction.
  std::optional<Error> refusal(std::int64_t tenant_id, std::uint64_t context_bytes) const;
  void opened(std::int64_t tenant_id, std::uint64_t context_bytes);
  /// An execution has been closed.
  void closed(Connection& connection, std::int64_t seq);

  void committed() { before_.clear(); }
  void rolled_back();

 private:
  domain::Usage& change(std::int64_t tenant_id);

  const domain::TenantLimits limits_;
  std::unordered_map<std::int64_t, domain::Usage> now_;
  std::unordered_map<std::int64_t, domain::Usage> before_;  // the open transaction, of those that it changed
};

}  // namespace semel::store::sqlite
