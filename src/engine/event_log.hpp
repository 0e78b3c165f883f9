#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ports/change.hpp"

namespace semel::engine {

/// What executions have in common, kept once for all their events.
struct EventSubject {
  std::string queue{};
  std::string handler{};
  std::string namespace_{};  // with the name; empty for ad-hoc tasks
  std::string name{};
};

struct Event {
  std::shared_ptr<const EventSubject> subject;
  domain::ExecutionId id;
  domain::State state;
  int attempt;  // the number of its newest, 0 before the first
  Time at;
};

/// The number of a tenant's event, from 1; in a log of another process the same number is another event.
struct EventPosition {
  std::uint32_t epoch = 0;
  std::uint64_t number = 0;

  std::string text() const;  // "6f1c2a9b-1042"
  static std::optional<EventPosition> parse(std::string_view text);
};

/// The latest changes of state of each tenant, in the order of their commits, for whoever follows them. It is memory of
/// this process, and bounded: a follower who was away for too long is told so, and looks at the tasks themselves. A
/// tenant with many events loses its own, not those of others. Callable from any thread.
class EventLog {
 public:
  EventLog(std::uint32_t epoch, std::size_t events_max) : epoch_(epoch), events_max_(events_max) {}

  /// Of the tenant's newest event.
  EventPosition last(const std::string& tenant) const;

  /// Something has happened that nobody here knows: everybody who follows is told of a gap.
  void forget();

  void append(Time at, const std::vector<Change>& changes);

  struct Slice {
    std::vector<Event> events{};
    EventPosition after{};   // the first event comes right after this one
    bool is_gap = false;     // what came between the position that was asked for and `after` is not known any more
    bool is_closed = false;  // nothing more will come
  };
  /// At most `max` of the tenant's events after the position.
  Slice read(const std::string& tenant, const EventPosition& after, std::size_t max) const;

  /// Wakes its owner when there is something new, once for each arm().
  class Follower {
   public:
    Follower(std::string tenant, std::function<void()> wake) : tenant_(std::move(tenant)), wake_(std::move(wake)) {}
    /// Arm before reading: then nothing new can be missed.
    void arm() { armed_ = true; }

   private:
    friend class EventLog;
    const std::string tenant_;
    const std::function<void()> wake_;  // short: it runs on the applier's thread
    std::atomic<bool> armed_ = false;
  };
  /// Nothing when the tenant has `max` followers already. A follower ends with its last owner.
  std::shared_ptr<Follower> follow(std::string tenant, std::function<void()> wake, std::size_t max);

  /// Wakes all followers for the last time.
  void close();

 private:
  struct TenantLog {
    std::deque<Event> events{};
    std::uint64_t last = 0;
    std::unordered_map<std::string, std::shared_ptr<const EventSubject>> subjects{};

    std::uint64_t forgotten() const { return last - events.size(); }
    std::shared_ptr<const EventSubject> subject_of(const Change& change);
  };
  void make_room();
  void wake_followers(const std::function<bool(const std::string& tenant)>& concerns);

  const std::uint32_t epoch_;
  const std::size_t events_max_;
  mutable std::mutex mutex_;  // guards the three below
  std::unordered_map<std::string, TenantLog> logs_;
  std::size_t events_ = 0;
  bool closed_ = false;
  std::mutex followers_mutex_;  // guards followers_
  std::vector<std::weak_ptr<Follower>> followers_;
};

}  // namespace semel::engine
