#pragma once
#include <optional>
#include <string>

#include "domain/holder.hpp"
#include "domain/submission.hpp"

namespace semel::domain {

/// What a submission would come to if it were sent now.
struct Explanation {
  enum class Action : std::uint8_t { create, take_over, duplicate, same_id };

  Action action = Action::create;
  std::optional<Verdict> verdict;         // of the holder, if there is one
  std::optional<DuplicateAnswer> answer;  // for duplicate and same_id
  std::optional<Time> window_end;         // of the holder, where known
  std::string why;                        // one sentence
};

/// `by_id`: the holder was found by the client-made id. Pure: tells, creates nothing. To a caller who may not read the
/// holder it tells no more than a submission would.
Explanation explain(const Plan& plan, const std::optional<Holder>& holder, bool by_id, bool may_read, Time now);

}  // namespace semel::domain
