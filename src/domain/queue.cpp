#include "domain/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace semel::domain {
namespace {

struct Period {
  std::string_view name;
  Duration length;
};

constexpr std::array<Period, 4> periods{{{"sec", 1s}, {"min", 1min}, {"hour", 1h}, {"day", 24h}}};

/// Of what a tenant and the configuration say.
template <typename T>
std::optional<T> first_of(const std::optional<T>& one, const std::optional<T>& other) {
  return one ? one : other;
}

std::int64_t capacity(const RateLimit& limit) {
  const std::int64_t usual = std::max<std::int64_t>(1, limit.count * 100 / limit.period.count());
  return limit.burst.value_or(usual) * limit.period.count();
}

}  // namespace

std::optional<RateLimit> parse_rate(std::string_view text) {
  if (text == "none") return RateLimit{};
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 1 || count > limits::rate_max) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Period& period : periods) {
    if (unit.starts_with('/') && unit.substr(1) == period.name) return RateLimit{count, period.length, std::nullopt};
  }
  return std::nullopt;
}

std::string to_text(const RateLimit& limit) {
  if (limit.count == 0) return "none";
  const auto* const period =
      std::find_if(periods.begin(), periods.end(), [&](const Period& each) { return each.length == limit.period; });
  return fmt::format("{}/{}", limit.count, period->name);
}

QueueSettings settle(const QueueOptions& of_tenant, const QueueOptions& of_all) {
  QueueSettings settings;
  if (const auto retention = first_of(of_tenant.retention, of_all.retention)) {
    settings.retention = *retention;
    settings.run_retention = *retention;
  }
  settings.rate_limit = first_of(of_tenant.rate_limit, of_all.rate_limit);
  if (settings.rate_limit && settings.rate_limit->count == 0) settings.rate_limit.reset();
  settings.max_running = first_of(of_tenant.max_running, of_all.max_running);
  if (settings.max_running == 0) settings.max_running.reset();
  settings.max_running_per_key =
      first_of(of_tenant.max_running_per_key, of_all.max_running_per_key).value_or(settings.max_running_per_key);
  settings.paused = first_of(of_tenant.paused, of_all.paused).value_or(false);
  settings.reuse = first_of(of_tenant.reuse, of_all.reuse);
  settings.dedup_window = first_of(of_tenant.dedup_window, of_all.dedup_window);
  settings.target = first_of(of_tenant.target, of_all.target);
  if (settings.target && settings.target->empty()) settings.target.reset();
  settings.target_timeout = first_of(of_tenant.target_timeout, of_all.target_timeout).value_or(settings.target_timeout);
  settings.target_dedup_window =
      first_of(of_tenant.target_dedup_window, of_all.target_dedup_window).value_or(settings.target_dedup_window);
  settings.heartbeat_timeout =
      first_of(of_tenant.heartbeat_timeout, of_all.heartbeat_timeout).value_or(settings.heartbeat_timeout);
  settings.max_in_flight = first_of(of_tenant.max_in_flight, of_all.max_in_flight).value_or(settings.max_in_flight);
  return settings;
}

TokenBucket full_bucket(const RateLimit& limit, Time now) { return {capacity(limit), now}; }

std::int64_t tokens(TokenBucket& bucket, const RateLimit& limit, Time now) {
  const std::int64_t room = capacity(limit) - bucket.level;
  const std::int64_t passed = std::max<std::int64_t>(0, (now - bucket.at).count());
  const bool fills = passed > room / limit.count;  // also keeps what follows from overflowing
  bucket.level = fills ? capacity(limit) : bucket.level + passed * limit.count;
  bucket.at = std::max(bucket.at, now);
  return std::max<std::int64_t>(0, bucket.level / limit.period.count());
}

void take(TokenBucket& bucket, const RateLimit& limit, std::int64_t count) {
  bucket.level -= count * limit.period.count();
}

Allowance allowance(const QueueSettings& settings, std::int64_t running, TokenBucket* bucket, Time now) {
  Allowance allowed;
  if (settings.max_running) allowed.places = std::max<std::int64_t>(0, *settings.max_running - running);
  if (settings.paused) allowed.places = 0;
  if (settings.rate_limit) allowed.tokens = tokens(*bucket, *settings.rate_limit, now);
  return allowed;
}

Time next_token(const TokenBucket& bucket, const RateLimit& limit) {
  const std::int64_t missing = std::max<std::int64_t>(0, limit.period.count() - bucket.level);
  return bucket.at + Duration{(missing + limit.count - 1) / limit.count};
}

std::size_t pick_queue(const std::vector<int>& weights, AttemptId id) {
  const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  auto left = static_cast<std::int64_t>(chance_of(id) % static_cast<std::uint64_t>(total));
  std::size_t queue = 0;
  while (left >= weights[queue]) left -= weights[queue++];
  return queue;
}

std::optional<Time> next_chance(const QueueSettings& settings, const Allowance& allowed, std::int64_t given,
                                const TokenBucket* bucket, Time now) {
  if (allowed.places <= given) return std::nullopt;
  return settings.rate_limit ? next_token(*bucket, *settings.rate_limit) : now;
}

}  // namespace semel::domain
