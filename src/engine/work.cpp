#include <algorithm>
#include <atomic>

#include "engine/engine.hpp"

/// What a worker says and asks in one request: how its tasks ended, and for more. One commit for all of it, so that a
/// worker that takes one task at a time waits for the disk once a task.
namespace semel::engine {
namespace {

/// Gathers the answers, and passes them on once the last is known.
struct WorkSlip {
  WorkSlip(std::size_t endings, std::size_t expected, Answer<Result<Engine::WorkAnswer>> to)
      : answer(std::move(to)), missing(expected) {
    work.endings.assign(endings, pass_on(Error{}));
  }

  const Answer<Result<Engine::WorkAnswer>> answer;
  Engine::WorkAnswer work;
  std::optional<Error> refusal;  // of the claim
  std::atomic<std::size_t> missing;

  /// Whoever is told of a refusal says all of it again. So what was recorded is told, and only the leases are missing.
  void done_one() {
    if (missing.fetch_sub(1) != 1) return;
    const auto is_recorded = [](const auto& ending) { return ending.has_value(); };
    const bool any_recorded = std::any_of(work.endings.begin(), work.endings.end(), is_recorded);
    if (refusal && !any_recorded) return answer(pass_on(*std::move(refusal)));
    answer(std::move(work));
  }
};

Command command_of(const std::string& tenant, Engine::Ending ending) {
  if (auto* failure = std::get_if<Engine::Failure>(&ending.outcome))
    return Fail{tenant, ending.attempt_id, std::move(failure->error), failure->retryable, failure->retry_after};
  if (auto* said = std::get_if<Engine::CodeAnswer>(&ending.outcome))
    return EndActivation{tenant, said->workflow, ending.attempt_id, std::move(said->answer)};
  return Complete{tenant, ending.attempt_id, std::move(std::get<Engine::Success>(ending.outcome).result)};
}

/// The commands of those that were not refused before.
std::vector<CommitQueue::Entry> entries_of(const std::string& tenant, std::vector<Result<Engine::Ending>> endings,
                                           const std::shared_ptr<WorkSlip>& slip,
                                           Result<AttemptAnswer> (*answer_of)(Result<Outcome>)) {
  std::vector<CommitQueue::Entry> entries;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    if (!endings[i]) {
      slip->work.endings[i] = pass_on(endings[i].error());
      continue;
    }
    entries.push_back({command_of(tenant, *std::move(endings[i])), [slip, i, answer_of](Committed committed) {
                         slip->work.endings[i] = answer_of(std::move(committed.outcome));
                         slip->done_one();
                       }});
  }
  return entries;
}

std::size_t count_good(const std::vector<Result<Engine::Ending>>& endings) {
  return static_cast<std::size_t>(
      std::count_if(endings.begin(), endings.end(), [](const auto& ending) { return ending.has_value(); }));
}

}  // namespace

void Engine::end(const domain::Principal& principal, std::vector<Result<Ending>> endings,
                 Answer<std::vector<Result<AttemptAnswer>>> answer) {
  const std::size_t count = endings.size();
  const auto all_refused = [count](const Error& error) {
    return std::vector<Result<AttemptAnswer>>(count, pass_on(error));
  };
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed)
    return answer(all_refused(allowed.error()));
  const std::size_t good = count_good(endings);
  const auto pass = [answer, all_refused](Result<WorkAnswer> work) {
    if (!work) return answer(all_refused(work.error()));
    answer(std::move(work->endings));
  };
  const auto slip = std::make_shared<WorkSlip>(count, std::max<std::size_t>(good, 1), pass);
  std::vector<CommitQueue::Entry> entries = entries_of(principal.tenant, std::move(endings), slip, attempt_answer);
  if (good == 0) return slip->done_one();
  if (!commits_.push(std::move(entries))) answer(all_refused(overloaded()));
}

std::shared_ptr<Engine::Poll> Engine::work(const domain::Principal& principal, PollRequest request,
                                           std::vector<Result<Ending>> endings, Answer<Result<WorkAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed) {
    answer(pass_on(allowed.error()));
    return nullptr;
  }
  if (Result<void> fits = check_pollable(principal.tenant, request); !fits) {
    answer(pass_on(fits.error()));
    return nullptr;
  }
  const auto slip = std::make_shared<WorkSlip>(endings.size(), count_good(endings) + 1, std::move(answer));
  std::vector<CommitQueue::Entry> entries = entries_of(principal.tenant, std::move(endings), slip, attempt_answer);
  return begin_poll(principal, std::move(request), std::move(entries), [slip](Result<std::vector<Lease>> leases) {
    if (!leases) slip->refusal = leases.error();
    else slip->work.leases = *std::move(leases);
    slip->done_one();
  });
}

}  // namespace semel::engine
