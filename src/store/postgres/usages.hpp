#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "domain/usage.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// What a transaction adds to what tenants have open; kept only where there are limits. The counters are read before,
/// so transactions that run at the same time may together pass a limit by what they bring.
class Usages {
 public:
  Usages(Connection& connection, domain::TenantLimits limits) : connection_(connection), limits_(limits) {}

  bool is_limited() const { return limits_.is_set(); }
  /// Why the tenant may not have one more.
  std::optional<Error> refusal(const std::string& tenant, std::uint64_t context_bytes);
  /// Whether the tenant may have so much more, whatever part of it comes.
  bool fits(const std::string& tenant, const domain::Usage& more);

  void opened(const std::string& tenant, std::uint64_t context_bytes);
  void closed(const std::string& tenant, std::uint64_t context_bytes);
  /// Writes the sums. The last thing that a transaction does.
  void flush();

 private:
  struct Delta {
    std::int64_t tasks = 0;
    std::int64_t bytes = 0;
  };
  domain::Usage now(const std::string& tenant);

  Connection& connection_;
  const domain::TenantLimits limits_;
  std::map<std::string, domain::Usage> read_;
  std::map<std::string, Delta> deltas_;
};

/// Counts everything anew: for a server that begins to limit.
void recount_usages(Connection& connection);

}  // namespace semel::store::postgres
