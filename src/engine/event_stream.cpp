#include "engine/event_stream.hpp"

#include <algorithm>

#include "domain/workflow/code/names.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

constexpr std::size_t events_at_once = 500;

bool is_wanted(const std::optional<std::string>& wanted, std::string_view found) { return !wanted || *wanted == found; }

}  // namespace

EventStream::EventStream(const EventLog& log, std::shared_ptr<EventLog::Follower> follower, std::string tenant,
                         EventQuery query)
    : log_(log),
      follower_(std::move(follower)),
      tenant_(std::move(tenant)),
      query_(std::move(query)),
      position_(query_.after ? *query_.after : log.last(tenant_)) {}

bool EventStream::matches(const Event& event) const {
  const auto& states = query_.states;
  return (states.empty() || std::find(states.begin(), states.end(), event.state) != states.end()) &&
         (!query_.id || *query_.id == event.id) && is_wanted(query_.queue, event.subject->queue) &&
         is_wanted(query_.handler, domain::code::kind_of_workflow(event.subject->handler)) &&
         is_wanted(query_.namespace_, event.subject->namespace_) && is_wanted(query_.name, event.subject->name);
}

EventStream::Batch EventStream::next() {
  Batch batch;
  while (true) {
    follower_->arm();
    EventLog::Slice slice = log_.read(tenant_, position_, events_at_once);
    position_ = slice.after;
    for (Event& event : slice.events) {
      position_.number += 1;
      if (matches(event)) batch.events.push_back({position_, std::move(event)});
    }
    batch.is_gap = batch.is_gap || slice.is_gap;
    batch.is_closed = slice.is_closed;
    const bool is_quiet = slice.events.empty();
    if (is_quiet || batch.is_gap || batch.is_closed || !batch.events.empty()) return batch;
  }
}

Result<std::unique_ptr<EventStream>> Engine::follow(const domain::Principal& principal, EventQuery query,
                                                    std::function<void()> wake) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  auto follower = events_.follow(principal.tenant, std::move(wake), limits::followers_max);
  if (!follower) {
    return refuse(ErrorCode::unavailable, "{} event streams of this tenant are open already; close one first",
                  limits::followers_max);
  }
  return std::make_unique<EventStream>(events_, std::move(follower), principal.tenant, std::move(query));
}

}  // namespace semel::engine
