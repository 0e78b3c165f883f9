#include "store/postgres/queues.hpp"

namespace semel::store::postgres {
namespace {

using domain::QueueOptions;

#define SEMEL_QUEUE_COLUMNS                                                                                         \
  "q.tenant, q.name, q.retention_ms, q.rate_count, q.rate_ms, q.rate_burst, q.max_running, q.max_running_per_key, " \
  "q.paused, q.reuse, q.window_kind, q.window_ms, q.target, q.target_timeout_ms, "                                  \
  "q.target_window_ms, q.heartbeat_timeout_ms, q.max_in_flight"

std::optional<int> optional_small(const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.small(column);
}

QueueOptions read_options(const Row& row) {
  QueueOptions options;
  if (!row.is_null(2)) options.retention = Duration{row.integer(2)};
  if (!row.is_null(3)) {
    options.rate_limit = domain::RateLimit{row.integer(3), Duration{row.integer(4)}, row.optional_integer(5)};
  }
  options.max_running = optional_small(row, 6);
  options.max_running_per_key = optional_small(row, 7);
  if (!row.is_null(8)) options.paused = row.boolean(8);
  if (!row.is_null(9)) options.reuse = row.as<domain::Reuse>(9);
  if (!row.is_null(10))
    options.dedup_window = domain::DedupWindow{row.as<domain::DedupWindow::Kind>(10), Duration{row.integer(11)}};
  options.target = row.optional_text(12);
  if (!row.is_null(13)) options.target_timeout = Duration{row.integer(13)};
  if (!row.is_null(14)) options.target_dedup_window = Duration{row.integer(14)};
  if (!row.is_null(15)) options.heartbeat_timeout = Duration{row.integer(15)};
  options.max_in_flight = optional_small(row, 16);
  return options;
}

struct QueueArrays {
  explicit QueueArrays(const std::set<TenantAndQueue>& queues) {
    for (const auto& [tenant, name] : queues) {
      tenants.add(tenant);
      names.add(name);
    }
  }
  Array tenants{Type::text};
  Array names{Type::text};
};

/// What holds for a queue is said of it by its tenant, or by the configuration.
std::set<TenantAndQueue> with_all_tenants(const std::set<TenantAndQueue>& queues) {
  std::set<TenantAndQueue> both = queues;
  for (const auto& [tenant, name] : queues) both.emplace(all_tenants, name);
  return both;
}

constexpr std::string_view options_wanted = "SELECT " SEMEL_QUEUE_COLUMNS
                                            " FROM queues q WHERE (q.tenant, q.name) IN"
                                            " (SELECT * FROM unnest($1::text[], $2::text[]))";

}  // namespace

void Queues::preload(const std::set<TenantAndQueue>& queues) {
  if (!any_) return;
  std::set<TenantAndQueue> missing = with_all_tenants(queues);
  std::erase_if(missing, [this](const TenantAndQueue& each) { return said_.contains(each); });
  if (missing.empty()) return;
  const QueueArrays wanted(missing);
  take(missing, connection_.run(options_wanted, wanted.tenants, wanted.names));
}

void Queues::ask_ahead(Connection& connection, const std::set<TenantAndQueue>& queues, Connection::Check told) {
  const QueueArrays wanted(with_all_tenants(queues));
  connection.run_later(options_wanted, Parameters(wanted.tenants, wanted.names), std::move(told));
}

void Queues::told_ahead(const std::set<TenantAndQueue>& queues, const Rows& rows) {
  take(with_all_tenants(queues), rows);
}

void Queues::take(const std::set<TenantAndQueue>& queues, const Rows& rows) {
  for (const TenantAndQueue& each : queues) said_[each] = {};
  for (const Row row : rows) said_[{row.text(0), row.text(1)}] = read_options(row);
}

QueueOptions Queues::options(const TenantAndQueue& queue) {
  if (!any_) return {};
  preload({queue});
  return said_.at(queue);
}

domain::QueueSettings Queues::settings(const TenantAndQueue& queue) {
  if (!any_) return {};
  preload({queue});
  return settle(said_.at(queue), said_.at({std::string(all_tenants), queue.second}));
}

void Queues::lock(const std::set<TenantAndQueue>& queues) {
  std::set<TenantAndQueue> missing;
  for (const TenantAndQueue& each : queues) {
    if (!locked_.contains(each)) missing.insert(each);
  }
  if (missing.empty()) return;
  read_locks(missing);
  std::erase_if(missing, [this](const TenantAndQueue& each) { return locked_.contains(each); });
  if (!missing.empty()) {
    const QueueArrays added(missing);
    connection_.run(
        "INSERT INTO queue_limits (tenant, queue) SELECT * FROM unnest($1::text[], $2::text[]) AS u (tenant, queue)"
        " ORDER BY u.tenant COLLATE \"C\", u.queue COLLATE \"C\" ON CONFLICT DO NOTHING",
        added.tenants, added.names);
    read_locks(missing);
  }
  any_ = true;  // what was said may have changed while others held the lock
  said_.clear();
}

void Queues::read_locks(const std::set<TenantAndQueue>& queues) {
  const QueueArrays wanted(queues);
  const Rows rows = connection_.run(
      "SELECT l.tenant, l.queue, l.token_level, l.token_at FROM queue_limits l WHERE (l.tenant, l.queue) IN"
      " (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY l.tenant, l.queue FOR UPDATE",
      wanted.tenants, wanted.names);
  for (const Row row : rows) {
    std::optional<domain::TokenBucket> bucket;
    if (!row.is_null(2)) bucket = domain::TokenBucket{row.integer(2), row.time(3)};
    locked_[{row.text(0), row.text(1)}] = bucket;
  }
}

domain::TokenBucket& Queues::bucket(const TenantAndQueue& queue, const domain::RateLimit& limit, Time now) {
  std::optional<domain::TokenBucket>& bucket = locked_.at(queue);
  if (!bucket) bucket = full_bucket(limit, now);
  return *bucket;
}

void Queues::write_bucket(const TenantAndQueue& queue) {
  const std::optional<domain::TokenBucket>& bucket = locked_.at(queue);
  if (!bucket) return;
  connection_.run("UPDATE queue_limits SET token_level = $3, token_at = $4 WHERE tenant = $1 AND queue = $2",
                  queue.first, queue.second, bucket->level, bucket->at);
}

void Queues::put(const TenantAndQueue& queue, const QueueOptions& options) {
  std::optional<std::int64_t> rate_count;
  std::optional<Duration> rate_period;
  std::optional<std::int64_t> rate_burst;
  if (options.rate_limit) {
    rate_count = options.rate_limit->count;
    rate_period = options.rate_limit->period;
    rate_burst = options.rate_limit->burst;
  }
  std::optional<domain::DedupWindow::Kind> window_kind;
  std::optional<Duration> window_length;
  if (options.dedup_window) {
    window_kind = options.dedup_window->kind;
    window_length = options.dedup_window->length;
  }
  connection_.run(
      "INSERT INTO queues (tenant, name, retention_ms, rate_count, rate_ms, rate_burst, max_running,"
      " max_running_per_key, paused, reuse, window_kind, window_ms, target, target_timeout_ms,"
      " target_window_ms, heartbeat_timeout_ms, max_in_flight)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
      " ON CONFLICT (tenant, name) DO UPDATE SET retention_ms = excluded.retention_ms, rate_count ="
      " excluded.rate_count, rate_ms = excluded.rate_ms, rate_burst = excluded.rate_burst, max_running ="
      " excluded.max_running, max_running_per_key = excluded.max_running_per_key, paused = excluded.paused, reuse ="
      " excluded.reuse, window_kind = excluded.window_kind, window_ms = excluded.window_ms, target = excluded.target,"
      " target_timeout_ms = excluded.target_timeout_ms,"
      " target_window_ms = excluded.target_window_ms, heartbeat_timeout_ms = excluded.heartbeat_timeout_ms,"
      " max_in_flight = excluded.max_in_flight",
      queue.first, queue.second, options.retention, rate_count, rate_period, rate_burst, options.max_running,
      options.max_running_per_key, options.paused, options.reuse, window_kind, window_length, options.target,
      options.target_timeout, options.target_dedup_window, options.heartbeat_timeout, options.max_in_flight);
  any_ = true;
  said_.clear();
}

void Queues::remove(const TenantAndQueue& queue) {
  connection_.run("DELETE FROM queues WHERE tenant = $1 AND name = $2", queue.first, queue.second);
  said_.clear();
}

std::vector<StoredQueue> read_queues(Connection& connection) {
  std::vector<StoredQueue> stored;
  for (const Row row : connection.run("SELECT " SEMEL_QUEUE_COLUMNS " FROM queues q ORDER BY q.tenant, q.name"))
    stored.push_back({row.text(0), row.text(1), read_options(row)});
  return stored;
}

}  // namespace semel::store::postgres
