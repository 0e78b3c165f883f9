#include "engine/event_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace semel::engine {
namespace {

constexpr std::size_t subjects_max = 1'024;
constexpr std::size_t epoch_digits = 8;

bool is_subject_of(const EventSubject& subject, const Change& change) {
  return subject.handler == change.handler && subject.queue == change.queue && subject.name == change.name &&
         subject.namespace_ == change.namespace_;
}

}  // namespace

std::string EventPosition::text() const { return fmt::format("{:08x}-{}", epoch, number); }

std::optional<EventPosition> EventPosition::parse(std::string_view text) {
  if (text.size() < epoch_digits + 2 || text[epoch_digits] != '-') return std::nullopt;
  EventPosition position;
  const char* const middle = text.data() + epoch_digits;
  const char* const end = text.data() + text.size();
  const auto epoch = std::from_chars(text.data(), middle, position.epoch, 16);
  const auto number = std::from_chars(middle + 1, end, position.number);
  const bool is_whole = epoch.ec == std::errc{} && epoch.ptr == middle && number.ec == std::errc{} && number.ptr == end;
  return is_whole ? std::optional(position) : std::nullopt;
}

/// Most changes are of few subjects, and many of the one before. When there are very many, the table begins anew:
/// events keep theirs alive.
std::shared_ptr<const EventSubject> EventLog::TenantLog::subject_of(const Change& change) {
  if (!events.empty() && is_subject_of(*events.back().subject, change)) return events.back().subject;
  std::string key;
  for (const std::string* part : {&change.queue, &change.handler, &change.namespace_, &change.name}) {
    key.append(*part).push_back('\n');  // which no name holds
  }
  if (const auto known = subjects.find(key); known != subjects.end()) return known->second;
  if (subjects.size() >= subjects_max) subjects.clear();
  auto subject =
      std::make_shared<const EventSubject>(EventSubject{change.queue, change.handler, change.namespace_, change.name});
  subjects.emplace(std::move(key), subject);
  return subject;
}

EventPosition EventLog::last(const std::string& tenant) const {
  const std::lock_guard lock(mutex_);
  const auto log = logs_.find(tenant);
  return {epoch_, log == logs_.end() ? 0 : log->second.last};
}

void EventLog::append(Time at, const std::vector<Change>& changes) {
  {
    const std::lock_guard lock(mutex_);
    TenantLog* log = nullptr;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const Change& change = changes[i];
      if (i == 0 || change.tenant != changes[i - 1].tenant) log = &logs_[change.tenant];
      log->events.push_back({log->subject_of(change), change.id, change.state, change.attempt, at});
      log->last += 1;
    }
    events_ += changes.size();
    while (events_ > events_max_) make_room();
  }
  wake_followers([&](const std::string& tenant) {
    return std::any_of(changes.begin(), changes.end(), [&](const Change& change) { return change.tenant == tenant; });
  });
}

void EventLog::forget() {
  std::vector<std::string> followed;
  {
    const std::lock_guard lock(followers_mutex_);
    for (const std::weak_ptr<Follower>& each : followers_) {
      if (const std::shared_ptr<Follower> follower = each.lock()) followed.push_back(follower->tenant_);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& tenant : followed) logs_[tenant];
    for (auto& [tenant, log] : logs_) {
      log.events.clear();
      log.last += 1;  // what is not known is one event that nobody can read
    }
    events_ = 0;
  }
  wake_followers([](const std::string&) { return true; });
}

void EventLog::wake_followers(const std::function<bool(const std::string& tenant)>& concerns) {
  const std::lock_guard lock(followers_mutex_);
  for (const std::weak_ptr<Follower>& each : followers_) {
    const std::shared_ptr<Follower> follower = each.lock();
    if (follower && concerns(follower->tenant_) && follower->armed_.exchange(false)) follower->wake_();
  }
}

/// Takes an eighth of what the tenant with the most events has, so that it is seldom looked for.
void EventLog::make_room() {
  const auto largest = std::max_element(logs_.begin(), logs_.end(), [](const auto& left, const auto& right) {
    return left.second.events.size() < right.second.events.size();
  });
  std::deque<Event>& events = largest->second.events;
  const std::size_t count = events.size() / 8 + 1;
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count));
  events_ -= count;
}

EventLog::Slice EventLog::read(const std::string& tenant, const EventPosition& after, std::size_t max) const {
  const std::lock_guard lock(mutex_);
  Slice slice;
  slice.is_closed = closed_;
  const auto found = logs_.find(tenant);
  const std::uint64_t last = found == logs_.end() ? 0 : found->second.last;
  const std::uint64_t forgotten = found == logs_.end() ? 0 : found->second.forgotten();
  slice.is_gap = after.epoch != epoch_ || after.number < forgotten || after.number > last;
  // After a gap, what is known goes on with what is new: the follower looks at the tasks themselves anyway.
  slice.after = {epoch_, slice.is_gap ? last : after.number};
  if (slice.is_gap || found == logs_.end()) return slice;
  const std::deque<Event>& events = found->second.events;
  const auto begin = events.begin() + static_cast<std::ptrdiff_t>(after.number - forgotten);
  slice.events.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(max, last - after.number)));
  return slice;
}

std::shared_ptr<EventLog::Follower> EventLog::follow(std::string tenant, std::function<void()> wake, std::size_t max) {
  const std::lock_guard lock(followers_mutex_);
  std::erase_if(followers_, [](const std::weak_ptr<Follower>& each) { return each.expired(); });
  const auto count = std::count_if(followers_.begin(), followers_.end(), [&](const std::weak_ptr<Follower>& each) {
    const std::shared_ptr<Follower> other = each.lock();
    return other && other->tenant_ == tenant;
  });
  if (static_cast<std::size_t>(count) >= max) return nullptr;
  auto follower = std::make_shared<Follower>(std::move(tenant), std::move(wake));
  followers_.push_back(follower);
  return follower;
}

void EventLog::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_followers([](const std::string&) { return true; });
}

}  // namespace semel::engine
