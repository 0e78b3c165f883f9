#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ports/store.hpp"
#include "store/postgres/execution_row.hpp"

namespace semel::store::postgres {

/// What holds for queues, as one transaction reads it, and the locks that it holds on them. Nothing is kept from one
/// transaction to the next: other servers change it too.
class Queues {
 public:
  /// `any`: whether anything was said of any queue when the transaction began.
  Queues(Connection& connection, bool any) : connection_(connection), any_(any) {}

  domain::QueueSettings settings(const TenantAndQueue& queue);
  domain::QueueOptions options(const TenantAndQueue& queue);
  /// Reads what will be asked for, in one statement.
  void preload(const std::set<TenantAndQueue>& queues);
  /// Asks for it with the beginning of the transaction: `told` gets what told_ahead() wants.
  static void ask_ahead(Connection& connection, const std::set<TenantAndQueue>& queues, Connection::Check told);
  void told_ahead(const std::set<TenantAndQueue>& queues, const Rows& rows);

  /// Makes the transaction the only one that gives out the queues' limited tasks, or changes who of a concurrency_key
  /// is ready. Sorted, and before executions are locked. What holds for the queues is read again after it.
  void lock(const std::set<TenantAndQueue>& queues);
  /// Of a locked queue.
  domain::TokenBucket& bucket(const TenantAndQueue& queue, const domain::RateLimit& limit, Time now);
  void write_bucket(const TenantAndQueue& queue);

  void put(const TenantAndQueue& queue, const domain::QueueOptions& options);
  void remove(const TenantAndQueue& queue);

 private:
  void take(const std::set<TenantAndQueue>& queues, const Rows& rows);
  void read_locks(const std::set<TenantAndQueue>& queues);

  Connection& connection_;
  bool any_;
  std::map<TenantAndQueue, domain::QueueOptions> said_;  // also that nothing was
  std::map<TenantAndQueue, std::optional<domain::TokenBucket>> locked_;
};

/// The configuration speaks for all tenants.
inline constexpr std::string_view all_tenants{};

std::vector<StoredQueue> read_queues(Connection& connection);

}  // namespace semel::store::postgres
