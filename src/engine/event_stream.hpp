#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/event_log.hpp"

namespace semel::engine {

/// Which events a follower wants. What is absent or empty does not restrict.
struct EventQuery {
  std::optional<EventPosition> after{};  // only new ones, when absent
  std::vector<domain::State> states{};
  std::optional<std::string> queue{};
  std::optional<std::string> handler{};
  std::optional<std::string> namespace_{};
  std::optional<std::string> name{};
  std::optional<domain::ExecutionId> id{};
};

/// One follower's way through a tenant's events. Used by one thread at a time.
class EventStream {
 public:
  EventStream(const EventLog& log, std::shared_ptr<EventLog::Follower> follower, std::string tenant, EventQuery query);

  struct Numbered {
    EventPosition position;
    Event event;
  };
  struct Batch {
    std::vector<Numbered> events{};
    bool is_gap = false;     // before these events, some were missed
    bool is_closed = false;  // nothing more will come
  };
  /// What is there now. When that is nothing, the owner is woken once there is more.
  Batch next();
  /// Up to where everything has been given or did not match.
  const EventPosition& position() const { return position_; }

 private:
  bool matches(const Event& event) const;

  const EventLog& log_;
  const std::shared_ptr<EventLog::Follower> follower_;
  const std::string tenant_;
  const EventQuery query_;
  EventPosition position_;
};

}  // namespace semel::engine
