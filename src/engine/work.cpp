#include <atomic>

#include "engine/engine.hpp"

/// What a worker says and asks in one request: how its tasks ended, and for more. One commit for all of it, so that a
/// worker that takes one task at a time waits for the disk once a task.
namespace semel::engine {
namespace {

/// Gathers the answers, and passes them on once the last is known.
struct WorkSlip {
  WorkSlip(std::size_t endings, Answer<Result<Engine::WorkAnswer>> to) : answer(std::move(to)), missing(endings + 1) {
    work.endings.assign(endings, pass_on(Error{}));
  }

  const Answer<Result<Engine::WorkAnswer>> answer;
  Engine::WorkAnswer work;
  std::optional<Error> refusal;  // of the claim
  std::atomic<std::size_t> missing;

  void done_one() {
    if (missing.fetch_sub(1) != 1) return;
    if (refusal) return answer(pass_on(*std::move(refusal)));
    answer(std::move(work));
  }
};

Command command_of(const std::string& tenant, Engine::Ending ending) {
  if (auto* failure = std::get_if<Engine::Failure>(&ending.outcome))
    return Fail{tenant, ending.attempt_id, std::move(failure->error), failure->retryable, failure->retry_after};
  return Complete{tenant, ending.attempt_id, std::move(std::get<Engine::Success>(ending.outcome).result)};
}

}  // namespace

void Engine::work(const domain::Principal& principal, PollRequest request, std::vector<Result<Ending>> endings,
                  Answer<Result<WorkAnswer>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::workers); !allowed)
    return answer(pass_on(allowed.error()));
  const auto slip = std::make_shared<WorkSlip>(endings.size(), std::move(answer));
  std::vector<CommitQueue::Entry> entries;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    if (!endings[i]) {
      slip->work.endings[i] = pass_on(endings[i].error());
      slip->done_one();
      continue;
    }
    entries.push_back({command_of(principal.tenant, *std::move(endings[i])), [slip, i](Committed committed) {
                         slip->work.endings[i] = attempt_answer(std::move(committed.outcome));
                         slip->done_one();
                       }});
  }
  entries.push_back({claim_for(principal.tenant, request), [slip](Committed committed) {
                       if (!committed.outcome) slip->refusal = committed.outcome.error();
                       else slip->work.leases = std::move(std::get<Claimed>(*committed.outcome).leases);
                       slip->done_one();
                     }});
  if (!commits_.push(std::move(entries))) slip->answer(pass_on(overloaded()));
}

}  // namespace semel::engine
