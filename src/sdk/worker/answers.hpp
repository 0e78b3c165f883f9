#pragma once
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop.hpp"
#include "sdk/backend.hpp"

namespace semel::sdk {

/// Tells the server what came of attempts: at once while there is little, and all that has come together when there is
/// much. What could not be told is told again, until it was. From any thread.
class Answers {
 public:
  /// `on_told` is called when the server has an answer, or does not want it any more.
  Answers(Backend& backend, std::function<void(const std::string& attempt_id)> on_told);

  void put(Answer answer);
  std::size_t untold() const;
  /// False when something is left after that time.
  bool wait_until_told(Duration time);

 private:
  Duration pass();
  void note(const Answer& answer, const Reply<AnswerOutcome>& outcome);

  Backend& backend_;
  const std::function<void(const std::string&)> on_told_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable told_;
  std::vector<Answer> waiting_;
  std::size_t under_way_ = 0;
  Duration pause_{0};  // since the server could not be reached
  Loop loop_;          // last: it uses all of the above
};

}  // namespace semel::sdk
