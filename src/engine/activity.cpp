#include "engine/activity.hpp"

#include <algorithm>
#include <cmath>

namespace semel::engine {
namespace {

constexpr double smallest_ms = 0.01;

std::int64_t minute_of(Time time) { return to_ms(time) / Duration(1min).count(); }
Time begin_of(std::int64_t minute) { return from_ms(minute * Duration(1min).count()); }

std::size_t bucket_of(double ms, std::size_t buckets) {
  if (ms <= smallest_ms) return 0;
  return std::min(static_cast<std::size_t>(2 * std::log2(ms / smallest_ms)), buckets - 1);
}

double middle_of(std::size_t bucket) { return smallest_ms * std::exp2((static_cast<double>(bucket) + 0.5) / 2); }

/// The place for a minute; what is too old to be asked for goes when a new one comes.
template <typename Value>
Value& at_minute(std::map<std::int64_t, Value>& minutes, Time now) {
  const auto [place, is_new] = minutes.try_emplace(minute_of(now));
  if (is_new)
    minutes.erase(minutes.begin(), minutes.upper_bound(std::min(minute_of(now - Activity::kept), place->first - 1)));
  return place->second;
}

/// Null for what is not counted: an execution that waits for others, and runs that go on.
std::uint64_t* count_of(ActivityCounts& counts, const Change& change) {
  if (change.is_new) return &counts.created;
  switch (change.state) {
    case domain::State::pending: return &counts.retried;
    case domain::State::running: return &counts.leased;
    case domain::State::suspended: return nullptr;
    case domain::State::completed: return &counts.completed;
    case domain::State::failed: return &counts.failed;
    case domain::State::cancelled: return &counts.cancelled;
    case domain::State::timed_out: return &counts.timed_out;
  }
  return nullptr;
}

}  // namespace

ActivityCounts& ActivityCounts::operator+=(const ActivityCounts& other) {
  created += other.created;
  completed += other.completed;
  failed += other.failed;
  timed_out += other.timed_out;
  cancelled += other.cancelled;
  retried += other.retried;
  leased += other.leased;
  duplicates += other.duplicates;
  return *this;
}

void Activity::changed(Time now, const std::vector<Change>& changes) {
  const std::lock_guard lock(mutex_);
  const std::string* tenant = nullptr;  // most commits are of one
  ActivityCounts* counts = nullptr;
  for (const Change& change : changes) {
    if (tenant == nullptr || *tenant != change.tenant) {
      tenant = &change.tenant;
      counts = &at_minute(tenants_[change.tenant], now);
    }
    if (std::uint64_t* count = count_of(*counts, change)) *count += 1;
  }
}

void Activity::duplicate(Time now, const std::string& tenant) {
  const std::lock_guard lock(mutex_);
  at_minute(tenants_[tenant], now).duplicates += 1;
}

void Activity::committed(Time now, Seconds took) {
  const std::lock_guard lock(mutex_);
  Histogram& buckets = at_minute(commits_, now);
  buckets[bucket_of(took.count() * 1'000, buckets.size())] += 1;
}

std::vector<Activity::Point> Activity::read(const std::string& tenant, Time now, Duration interval,
                                            std::size_t count) const {
  const Minute step = interval / 1min;
  const Minute first = (minute_of(now) / step - static_cast<Minute>(count) + 1) * step;
  std::vector<Point> points(count);
  for (std::size_t i = 0; i < count; ++i) points[i].at = begin_of(first + static_cast<Minute>(i) * step);
  const std::lock_guard lock(mutex_);
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end()) return points;
  for (auto at = found->second.lower_bound(first); at != found->second.end(); ++at) {
    const auto place = static_cast<std::size_t>((at->first - first) / step);
    if (place < count) points[place].counts += at->second;
  }
  return points;
}

std::optional<Activity::Quantiles> Activity::commit_times(Time since) const {
  std::array<std::uint64_t, std::tuple_size_v<Histogram>> sum{};
  {
    const std::lock_guard lock(mutex_);
    for (auto at = commits_.lower_bound(minute_of(since)); at != commits_.end(); ++at)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += at->second[i];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t each : sum) all += each;
  if (all == 0) return std::nullopt;
  const auto quantile = [&](double share) {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all)));
    std::uint64_t below = 0;
    std::size_t bucket = 0;
    while ((below += sum[bucket]) < wanted) ++bucket;
    return middle_of(bucket);
  };
  return Quantiles{quantile(0.5), quantile(0.99)};
}

}  // namespace semel::engine
