#include "engine/queue_rates.hpp"

#include <algorithm>

namespace semel::engine {
namespace {

std::int64_t second_since_epoch(Time time) { return to_ms(time) / Duration(1s).count(); }
std::int64_t minute_since_epoch(Time time) { return to_ms(time) / Duration(1min).count(); }

/// Null for what is no throughput: a cancelled task, or one that waits for others.
std::uint32_t QueueCounts::* member_of(const Change& change) {
  if (change.is_new) return &QueueCounts::created;
  switch (change.state) {
    case domain::State::pending: return &QueueCounts::retried;
    case domain::State::running: return &QueueCounts::started;
    case domain::State::completed: return &QueueCounts::completed;
    case domain::State::failed:
    case domain::State::timed_out: return &QueueCounts::failed;
    case domain::State::suspended:
    case domain::State::cancelled: return nullptr;
  }
  return nullptr;
}

bool is_within_an_hour(std::optional<Time> time, Time now) { return time && *time > now - 1h; }

}  // namespace

QueueCounts& QueueCounts::operator+=(const QueueCounts& other) {
  created += other.created;
  started += other.started;
  completed += other.completed;
  failed += other.failed;
  retried += other.retried;
  return *this;
}

template <std::size_t size>
QueueCounts* CountRing<size>::at(std::int64_t number) {
  constexpr auto kept = static_cast<std::int64_t>(size);
  if (number > newest_) {
    for (std::int64_t each = std::max(newest_ + 1, number - kept + 1); each <= number; ++each)
      counts_[static_cast<std::size_t>(each % kept)] = {};
    newest_ = number;
  }
  return number > newest_ - kept ? &counts_[static_cast<std::size_t>(number % kept)] : nullptr;
}

template <std::size_t size>
QueueCounts CountRing<size>::of(std::int64_t number) const {
  constexpr auto kept = static_cast<std::int64_t>(size);
  if (number > newest_ || number <= newest_ - kept) return {};
  return counts_[static_cast<std::size_t>(number % kept)];
}

template <std::size_t size>
QueueCounts CountRing<size>::sum(std::int64_t number) const {
  QueueCounts all;
  for (std::int64_t each = number - static_cast<std::int64_t>(size) + 1; each <= number; ++each) all += of(each);
  return all;
}

template class CountRing<QueueRates::points>;

/// Runs of steps, code workflows and promises are in no queue's depth, and not here either.
void QueueRates::changed(Time now, const std::vector<Change>& changes) {
  const std::lock_guard lock(mutex_);
  const Change* last = nullptr;  // most commits are of few queues
  Counted* counted = nullptr;
  for (const Change& change : changes) {
    std::uint32_t QueueCounts::* const member = member_of(change);
    if (member == nullptr || change.kind != domain::Kind::task) continue;
    if (last == nullptr || last->queue != change.queue || last->tenant != change.tenant) {
      last = &change;
      counted = find_or_add(now, change.tenant, change.queue);
    }
    if (counted == nullptr) continue;
    if (QueueCounts* second = counted->seconds.at(second_since_epoch(now))) second->*member += 1;
    if (QueueCounts* minute = counted->minutes.at(minute_since_epoch(now))) minute->*member += 1;
  }
}

std::optional<QueueRates::Rates> QueueRates::read(const std::string& tenant, const std::string& queue, Time now) const {
  Rates rates;
  rates.history.resize(points);
  const std::lock_guard lock(mutex_);
  const auto owner = tenants_.find(tenant);
  if (owner == tenants_.end()) return rates;
  const auto found = owner->second.queues.find(queue);
  const bool is_counted = found != owner->second.queues.end();
  const std::optional<Time> since = is_counted ? found->second.since : owner->second.refused_at;
  if (is_within_an_hour(since, now)) rates.since = since;
  if (!is_counted) return is_full(owner->second) ? std::nullopt : std::optional(rates);
  rates.minute = found->second.seconds.sum(second_since_epoch(now));
  const std::int64_t first = minute_since_epoch(now) - static_cast<std::int64_t>(points) + 1;
  for (std::size_t i = 0; i < points; ++i)
    rates.hour += rates.history[i] = found->second.minutes.of(first + static_cast<std::int64_t>(i));
  return rates;
}

std::vector<std::string> QueueRates::names(const std::string& tenant, Time now) const {
  const std::int64_t last = minute_since_epoch(now) - static_cast<std::int64_t>(points);
  std::vector<std::string> names;
  const std::lock_guard lock(mutex_);
  const auto owner = tenants_.find(tenant);
  if (owner == tenants_.end()) return names;
  for (const auto& [name, counted] : owner->second.queues)
    if (counted.minutes.newest() > last) names.push_back(name);
  return names;
}

QueueRates::Counted* QueueRates::find_or_add(Time now, const std::string& tenant, const std::string& queue) {
  Tenant& owner = tenants_[tenant];
  if (const auto found = owner.queues.find(queue); found != owner.queues.end()) return &found->second;
  if (is_full(owner)) drop_quiet(now);
  if (is_full(owner)) {
    owner.refused_at = now;
    return nullptr;
  }
  Counted& added = owner.queues[queue];
  added.since = owner.refused_at;  // what was not counted may have been of this one
  counted_ += 1;
  return &added;
}

bool QueueRates::is_full(const Tenant& tenant) const {
  return tenant.queues.size() >= limits_.of_a_tenant || counted_ >= limits_.of_all;
}

/// Once a minute at most, since all of them are looked at.
void QueueRates::drop_quiet(Time now) {
  const std::int64_t minute = minute_since_epoch(now);
  if (minute == dropped_in_minute_) return;
  dropped_in_minute_ = minute;
  for (auto& [name, tenant] : tenants_) {
    counted_ -= std::erase_if(tenant.queues, [&](const auto& queue) {
      return queue.second.minutes.newest() <= minute - static_cast<std::int64_t>(points);
    });
  }
}

}  // namespace semel::engine
