#include <algorithm>

#include "sdk/workflow/replay.hpp"

// What the history tells the code.
namespace semel::sdk {

void Replay::note(const Recorded& recorded) {
  if (recorded.what == Recorded::What::continued) {
    // The numbers of commands go on over all generations.
    next_ = recorded.number + 1;
    return;
  }
  if (recorded.what != Recorded::What::asked) return;
  if (recorded.number < next_) return;  // the echo of what this code has asked for
  last_recorded_ = std::max(last_recorded_, recorded.number);
  recorded_.try_emplace(recorded.number, Known{recorded.asked, recorded.name, recorded.value});
}

void Replay::happen(const Recorded& recorded, const Event& event) {
  now_ = event.at;
  if (recorded.what == Recorded::What::signal) {
    Signals& signals = signals_[recorded.name];
    signals.arrived.push_back({event.sequence, recorded.value.empty() ? "null" : recorded.value});
    hand_out(signals);
    return;
  }
  if (recorded.what != Recorded::What::closed) return;
  if (recorded.number >= next_) {
    const auto asked = recorded_.find(recorded.number);
    const std::string what = asked == recorded_.end() ? "something" : describe(asked->second.asked, asked->second.name);
    fail("nondeterminism", fmt::format("command {}: the history has {}, which has ended by event {}; the code has not "
                                       "asked for it by then",
                                       recorded.number, what, event.sequence));
    return;
  }
  const auto found = cells_.find(recorded.number);
  if (found == cells_.end()) return;  // a timer that was cancelled
  const detail::CellPointer cell = std::move(found->second);
  cells_.erase(found);
  cell->settle(recorded.closing);
}

void Replay::expect_all_asked() {
  if (fault_ || recorded_.empty()) return;
  const auto first = std::min_element(recorded_.begin(), recorded_.end(),
                                      [](const auto& left, const auto& right) { return left.first < right.first; });
  fail("nondeterminism", fmt::format("command {}: the history has {}, the code asks for nothing more", first->first,
                                     describe(first->second.asked, first->second.name)));
}

}  // namespace semel::sdk
