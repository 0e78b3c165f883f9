#include "sdk/workflow/instance.hpp"

#include <utility>

#include "sdk/workflow/abandoned.hpp"
#include "sdk/workflow/failure.hpp"

namespace semel::sdk {

Instance::Instance(WorkflowIdentity identity, const detail::WorkflowFunction& function, std::string input)
    : function_(function), input_(std::move(input)), replay_(std::move(identity), scheduler_), context_(replay_) {}

Instance::~Instance() { replay_.close(); }

Turn Instance::advance(std::span<const Event> events, std::uint64_t last_command) {
  std::vector<Recorded> recorded;
  recorded.reserve(events.size());
  replay_.set_known(last_command);
  if (!read(events, recorded)) return turn();
  for (std::size_t i = 0; i < events.size() && !replay_.fault(); ++i) {
    if (replay_.has_continued()) break;  // the rest is for the next run of the code: the server knows where that begins
    tell(recorded[i], events[i]);
  }
  start();
  Turn now = turn();  // at its end the code also asks for what it has begun and never waited for
  replay_.expect_all_asked();
  if (replay_.fault()) now = {{}, {}, {}, replay_.fault()};
  return now;
}

bool Instance::read(std::span<const Event> events, std::vector<Recorded>& into) {
  for (const Event& event : events) {
    Result<Recorded> recorded = read_event(event);
    if (!recorded) {
      replay_.fail("unreadable_history", recorded.error().message);
      return false;
    }
    replay_.note(*recorded);
    into.push_back(*std::move(recorded));
  }
  return true;
}

void Instance::tell(const Recorded& recorded, const Event& event) {
  position_ = event.sequence;
  if (recorded.what == Recorded::What::asked) return;  // the code's own
  if (!has_started_) replay_.set_time(event.at);
  start();
  replay_.happen(recorded, event);
  run();
}

/// With the first event, by the time of which the code begins.
void Instance::start() {
  if (std::exchange(has_started_, true)) return;
  try {
    routine_ = function_(context_, input_);
  } catch (const std::exception& error) {
    refused_ = FailWith{error_text("invalid_input", error.what())};
    return;
  }
  routine_->start(scheduler_);
  run();
}

void Instance::run() { scheduler_.run(); }

Turn Instance::turn() {
  Turn turn;
  turn.end = end();
  turn.commands = replay_.take_commands();
  turn.status = replay_.take_status();
  turn.fault = replay_.fault();
  return turn;
}

std::optional<End> Instance::end() {
  if (replay_.fault()) return std::nullopt;
  if (refused_) return refused_;
  if (std::optional<ContinueWith> next = replay_.take_continuation()) return *std::move(next);
  if (!routine_ || !routine_->is_done()) return std::nullopt;
  try {
    std::optional<std::string> result = routine_->take();
    replay_.number_drafts();  // what was begun and never waited for
    return EndWith{std::move(result)};
  } catch (const std::exception& error) {
    return FailWith{failure_text(error)};
  } catch (const Abandoned&) {
    return std::nullopt;  // its fault says why
  } catch (...) {
    return FailWith{error_text("exception", "something was thrown that is no std::exception")};
  }
}

}  // namespace semel::sdk
