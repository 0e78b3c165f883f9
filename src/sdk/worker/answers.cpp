#include "sdk/worker/answers.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "sdk/workflow/recorded.hpp"

namespace semel::sdk {
namespace {

constexpr std::size_t answers_a_batch_max = 500;
constexpr Duration answer_pause_first = 50ms;
constexpr Duration answer_pause_longest = 2s;

/// For an outcome that the server does not take: a result that is too large, a command that cannot be.
Answer failure_by(const Answer& answer, const Refusal& refusal) {
  return {answer.attempt_id, AttemptFailure{error_text("outcome_refused", refusal.message), false, std::nullopt}};
}

}  // namespace

Answers::Answers(Backend& backend, std::function<void(const std::string&)> on_told)
    : backend_(backend), on_told_(std::move(on_told)), loop_("semel-answers", [this] { return pass(); }) {}

void Answers::put(Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(answer));
    if (pause_ > Duration::zero()) return;  // it is tried again when the time has come
  }
  loop_.wake();
}

std::size_t Answers::untold() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + under_way_;
}

bool Answers::wait_until_told(Duration time) {
  std::unique_lock lock(mutex_);
  return told_.wait_for(lock, time, [this] { return waiting_.empty() && under_way_ == 0; });
}

Duration Answers::pass() {
  while (true) {
    std::vector<Answer> batch;
    {
      const std::lock_guard lock(mutex_);
      const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), answers_a_batch_max));
      if (count == 0) return Loop::until_woken;
      std::move(waiting_.begin(), waiting_.begin() + count, std::back_inserter(batch));
      waiting_.erase(waiting_.begin(), waiting_.begin() + count);
      under_way_ = batch.size();
    }
    const std::vector<Reply<AnswerOutcome>> outcomes = backend_.answer(batch);
    std::vector<Answer> again;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!outcomes[i] && outcomes[i].error().may_be_asked_again) again.push_back(std::move(batch[i]));
      else note(batch[i], outcomes[i]);
    }
    const std::lock_guard lock(mutex_);
    under_way_ = 0;
    const bool is_reached = again.empty();
    waiting_.insert(waiting_.begin(), std::make_move_iterator(again.begin()), std::make_move_iterator(again.end()));
    pause_ = is_reached ? Duration::zero() : std::clamp(pause_ * 2, answer_pause_first, answer_pause_longest);
    told_.notify_all();
    if (!is_reached) return pause_;
  }
}

void Answers::note(const Answer& answer, const Reply<AnswerOutcome>& outcome) {
  if (!outcome) {
    log::error("attempt {}: the server refuses its outcome: {}", answer.attempt_id, outcome.error().message);
    // The same would be refused again: the attempt has failed, and says why.
    if (!std::holds_alternative<AttemptFailure>(answer.what)) return put(failure_by(answer, outcome.error()));
  } else if (outcome->kind == AnswerOutcome::Kind::stale) {
    log::warn("attempt {}: its lease had ended, its outcome is not used", answer.attempt_id);
  }
  on_told_(answer.attempt_id);
}

}  // namespace semel::sdk
