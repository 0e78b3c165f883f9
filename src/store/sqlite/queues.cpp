#include "store/sqlite/queues.hpp"

#include <algorithm>
#include <tuple>

#include "store/sqlite/tenants.hpp"

namespace semel::store::sqlite {
namespace {

using domain::QueueOptions;

constexpr std::string_view select_sql =
    "SELECT tenant_id, name, retention_ms, rate_count, rate_ms, rate_burst, max_running, max_running_per_key, paused,"
    " reuse, window_kind, window_ms, target, target_timeout_ms, target_window_ms, heartbeat_timeout_ms,"
    " max_in_flight FROM queues";

template <typename T>
std::optional<std::int64_t> number_of(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<int> optional_small(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.small(column);
}

QueueOptions read_options(const Statement& row) {
  QueueOptions options;
  if (!row.is_null(2)) options.retention = Duration{row.integer(2)};
  if (!row.is_null(3)) options.rate_limit = domain::RateLimit{row.integer(3), Duration{row.integer(4)}, std::nullopt};
  if (!row.is_null(5)) options.rate_limit->burst = row.integer(5);
  options.max_running = optional_small(row, 6);
  options.max_running_per_key = optional_small(row, 7);
  if (!row.is_null(8)) options.paused = row.integer(8) != 0;
  if (!row.is_null(9)) options.reuse = static_cast<domain::Reuse>(row.integer(9));
  if (!row.is_null(10)) {
    options.dedup_window =
        domain::DedupWindow{static_cast<domain::DedupWindow::Kind>(row.integer(10)), Duration{row.integer(11)}};
  }
  options.target = row.optional_text(12);
  if (!row.is_null(13)) options.target_timeout = Duration{row.integer(13)};
  if (!row.is_null(14)) options.target_dedup_window = Duration{row.integer(14)};
  if (!row.is_null(15)) options.heartbeat_timeout = Duration{row.integer(15)};
  options.max_in_flight = optional_small(row, 16);
  return options;
}

}  // namespace

void Queues::load(Connection& connection) {
  said_.clear();
  Scoped query = connection.use(select_sql);
  while (query->step()) said_[query->text(1)][query->integer(0)] = read_options(*query);
}

QueueOptions Queues::options(std::int64_t tenant_id, std::string_view queue) const {
  const auto named = said_.find(queue);
  if (named == said_.end()) return {};
  const auto said = named->second.find(tenant_id);
  return said == named->second.end() ? QueueOptions{} : said->second;
}

domain::QueueSettings Queues::settings(std::int64_t tenant_id, std::string_view queue) const {
  if (said_.empty()) return {};
  return settle(options(tenant_id, queue), options(all_tenants, queue));
}

std::map<std::string, QueueOptions> Queues::defaults() const {
  std::map<std::string, QueueOptions> defaults;
  for (const auto& [name, by_tenant] : said_) {
    if (const auto said = by_tenant.find(all_tenants); said != by_tenant.end()) defaults.emplace(name, said->second);
  }
  return defaults;
}

domain::TokenBucket& Queues::bucket(std::int64_t tenant_id, const std::string& queue, const domain::RateLimit& limit,
                                    Time now) {
  return buckets_.try_emplace({tenant_id, queue}, full_bucket(limit, now)).first->second;
}

void Queues::put(Connection& connection, std::int64_t tenant_id, const std::string& queue,
                 const QueueOptions& options) {
  Scoped insert = connection.use(
      "INSERT OR REPLACE INTO queues (tenant_id, name, retention_ms, rate_count, rate_ms, rate_burst, max_running,"
      " max_running_per_key, paused, reuse, window_kind, window_ms, target, target_timeout_ms,"
      " target_window_ms, heartbeat_timeout_ms, max_in_flight)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)");
  insert->bind(1, tenant_id).bind(2, queue);
  if (options.retention) insert->bind(3, *options.retention);
  if (options.rate_limit) {
    insert->bind(4, options.rate_limit->count).bind(5, options.rate_limit->period);
    insert->bind(6, options.rate_limit->burst);
  }
  insert->bind(7, number_of(options.max_running)).bind(8, number_of(options.max_running_per_key));
  insert->bind(9, number_of(options.paused)).bind(10, number_of(options.reuse));
  if (options.dedup_window) {
    insert->bind(11, static_cast<std::int64_t>(options.dedup_window->kind)).bind(12, options.dedup_window->length);
  }
  if (options.target) insert->bind(13, *options.target);
  if (options.target_timeout) insert->bind(14, *options.target_timeout);
  if (options.target_dedup_window) insert->bind(15, *options.target_dedup_window);
  if (options.heartbeat_timeout) insert->bind(16, *options.heartbeat_timeout);
  insert->bind(17, number_of(options.max_in_flight));
  insert->run();
  said_[queue][tenant_id] = options;
}

void Queues::remove(Connection& connection, std::int64_t tenant_id, const std::string& queue) {
  connection.use("DELETE FROM queues WHERE tenant_id = ?1 AND name = ?2")->bind(1, tenant_id).bind(2, queue).run();
  const auto named = said_.find(queue);
  if (named == said_.end()) return;
  named->second.erase(tenant_id);
  if (named->second.empty()) said_.erase(named);
}

std::vector<StoredQueue> read_queues(Connection& connection, const Tenants& tenants) {
  std::vector<StoredQueue> stored;
  Scoped query = connection.use(select_sql);
  while (query->step()) {
    const std::int64_t tenant_id = query->integer(0);
    stored.push_back({tenant_id == Queues::all_tenants ? std::string() : tenants.name_of(tenant_id), query->text(1),
                      read_options(*query)});
  }
  const auto place = [](const StoredQueue& queue) { return std::tie(queue.tenant, queue.name); };
  std::ranges::sort(stored, {}, place);
  return stored;
}

}  // namespace semel::store::sqlite
