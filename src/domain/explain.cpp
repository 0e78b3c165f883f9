#include "domain/explain.hpp"

#include <fmt/format.h>

namespace semel::domain {
namespace {

std::string why_created(const Plan& plan) {
  if (plan.spec.identity.mode != Mode::none) return "No execution holds this identity.";
  return "Nothing identifies this submission (always_unique and no idempotency_key), so each one creates a task.";
}

std::string why_taken_over(Verdict verdict, const Holder& holder, Reuse reuse) {
  switch (verdict) {
    case Verdict::released: return "The holder's identity was released on purpose.";
    case Verdict::window_passed: return "The holder is closed and its window has passed.";
    case Verdict::reuse_allows:
      return fmt::format("The holder is {} and reuse is {}.", name_of(holder.state), name_of(reuse));
    case Verdict::duplicate: break;
  }
  return {};
}

std::string why_duplicate(const Holder& holder, Reuse reuse) {
  if (is_open(holder.state))
    return fmt::format("The holder is {}, and an open holder is never free.", name_of(holder.state));
  return fmt::format("The holder is {}, its window has not passed, and reuse is {}.", name_of(holder.state),
                     name_of(reuse));
}

std::string_view why_answered(DuplicateAnswer answer) {
  switch (answer) {
    case DuplicateAnswer::opaque: return " The answer tells nothing of the holder.";
    case DuplicateAnswer::other_subject: return " The holder is another kind of execution, named task or handler.";
    case DuplicateAnswer::other_payload: return " The payload differs from the holder's.";
    case DuplicateAnswer::describe: return " The answer describes the holder.";
    case DuplicateAnswer::return_existing: return " The answer is the holder itself.";
  }
  return {};
}

}  // namespace

Explanation explain(const Plan& plan, const std::optional<Holder>& holder, bool by_id, bool may_read, Time now) {
  Explanation explanation;
  if (!holder) {
    explanation.why = why_created(plan);
    return explanation;
  }
  const Verdict verdict = decide(*holder, plan.reuse, now);
  if (by_id) {
    explanation.action = Explanation::Action::same_id;
    explanation.answer = answer_same_id(*holder, plan.claimant(), may_read);
    explanation.why = "An execution with this task_uuid exists.";
  } else if (takes_over(verdict)) {
    explanation.action = Explanation::Action::take_over;
    explanation.why = may_read ? why_taken_over(verdict, *holder, plan.reuse) : "The identity can be taken over.";
  } else {
    explanation.action = Explanation::Action::duplicate;
    explanation.answer = answer_duplicate(*holder, plan.claimant(), may_read);
    explanation.why = may_read ? why_duplicate(*holder, plan.reuse) : "The identity is held.";
  }
  if (explanation.answer) explanation.why += why_answered(*explanation.answer);
  if (!may_read) return explanation;
  explanation.window_end = window_end(holder->window, holder->created_at, holder->closed_at);
  if (!by_id) explanation.verdict = verdict;
  return explanation;
}

}  // namespace semel::domain
