#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "ports/store.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

class Tenants;

/// What holds for queues, in memory, and the tokens of their rate limits. For the writer's thread. Where nothing was
/// said of any queue, it costs nothing.
class Queues {
 public:
  static constexpr std::int64_t all_tenants = 0;

  /// Again after a rollback. Tokens that it took stay taken.
  void load(Connection& connection);

  domain::QueueSettings settings(std::int64_t tenant_id, std::string_view queue) const;
  domain::QueueOptions options(std::int64_t tenant_id, std::string_view queue) const;
  std::map<std::string, domain::QueueOptions> defaults() const;
  domain::TokenBucket& bucket(std::int64_t tenant_id, const std::string& queue, const domain::RateLimit& limit,
                              Time now);

  /// A write transaction must be open.
  void put(Connection& connection, std::int64_t tenant_id, const std::string& queue,
           const domain::QueueOptions& options);
  void remove(Connection& connection, std::int64_t tenant_id, const std::string& queue);

 private:
  using ByTenant = std::map<std::int64_t, domain::QueueOptions>;

  std::map<std::string, ByTenant, std::less<>> said_;
  std::map<std::pair<std::int64_t, std::string>, domain::TokenBucket> buckets_;
};

std::vector<StoredQueue> read_queues(Connection& connection, const Tenants& tenants);

}  // namespace semel::store::sqlite
