#include <condition_variable>
#include <future>
#include <mutex>

#include "api/codec/code_values.hpp"
#include "embedded/convert.hpp"
#include "embedded/engine_in_process.hpp"

/// What workers ask of the engine.
namespace semel::embedded {
namespace {

using engine::Engine;

/// Polls of all lanes side by side, until one of them got something.
struct Gathered {
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::vector<Lease> leases;
  std::optional<Error> refusal;
  std::size_t under_way = 0;

  bool has_some() const { return !leases.empty() || refusal; }
  void add(Result<std::vector<Lease>> got) {
    const std::lock_guard lock(mutex);
    if (!got) refusal = got.error();
    else leases.insert(leases.end(), std::make_move_iterator(got->begin()), std::make_move_iterator(got->end()));
    --under_way;
    changed.notify_all();
  }
};

Engine::PollRequest request_of(const sdk::Poll& poll, const sdk::Lane& lane) {
  Engine::PollRequest request;
  request.worker = poll.worker_id;
  request.queues = lane.queues;
  request.handlers = lane.handlers;
  request.max = static_cast<std::size_t>(lane.room);
  request.wait = poll.wait;
  request.lease = poll.lease;
  return request;
}

sdk::Reply<sdk::AnswerOutcome> outcome_of(const Result<AttemptAnswer>& answer) {
  using Kind = sdk::AnswerOutcome::Kind;
  if (!answer && answer.error().code == ErrorCode::stale_attempt) return sdk::AnswerOutcome{Kind::stale, false};
  if (!answer) return tl::unexpected(refusal_of(answer.error()));
  const bool again = answer->kind == AttemptAnswer::Kind::already_recorded;
  return sdk::AnswerOutcome{again ? Kind::already_recorded : Kind::recorded, answer->should_cancel};
}

}  // namespace

/// What a lane got before the others could be called off is kept: a poll that is abandoned gives back what it gets.
sdk::Reply<std::vector<sdk::Lease>> EngineInProcess::poll(const sdk::Poll& poll, std::stop_token stop) {
  const auto gathered = std::make_shared<Gathered>();
  std::vector<std::shared_ptr<Engine::Poll>> polls;
  for (const sdk::Lane& lane : poll.lanes) {
    if (lane.room <= 0 || lane.handlers.empty()) continue;
    {
      const std::lock_guard lock(gathered->mutex);
      ++gathered->under_way;
    }
    polls.push_back(engine_.poll(principal_, request_of(poll, lane),
                                 [gathered](Result<std::vector<Lease>> got) { gathered->add(std::move(got)); }));
  }
  const std::stop_callback stopped(stop, [&] {
    const std::lock_guard lock(gathered->mutex);
    gathered->changed.notify_all();
  });
  std::unique_lock lock(gathered->mutex);
  gathered->changed.wait(lock,
                         [&] { return gathered->has_some() || gathered->under_way == 0 || stop.stop_requested(); });
  lock.unlock();
  for (const auto& each : polls) {
    if (each) each->abandon();
  }
  lock.lock();
  gathered->changed.wait(lock, [&] { return gathered->under_way == 0; });
  if (gathered->leases.empty() && gathered->refusal) return tl::unexpected(refusal_of(*gathered->refusal));
  std::vector<sdk::Lease> leases;
  for (const Lease& lease : gathered->leases) leases.push_back(lease_of(lease));
  return leases;
}

Result<Engine::Ending> EngineInProcess::ending_of(const sdk::Answer& answer) {
  const auto id = domain::AttemptId::parse(answer.attempt_id);
  if (!id) return bad_request("'{}' is not a UUID", answer.attempt_id);
  if (const auto* completion = std::get_if<sdk::Completion>(&answer.what)) {
    if (!completion->result) return Engine::Ending{*id, Engine::Success{}};
    Result<std::string> result = codec::read_payload("result", *completion->result);
    if (!result) return pass_on(result.error());
    return Engine::Ending{*id, Engine::Success{*std::move(result)}};
  }
  if (const auto* failure = std::get_if<sdk::AttemptFailure>(&answer.what)) {
    Result<std::string> error = codec::read_payload("error", failure->error);
    if (!error) return pass_on(error.error());
    return Engine::Ending{*id, Engine::Failure{*std::move(error), failure->retryable, failure->retry_after}};
  }
  const auto& end = std::get<sdk::ActivationEnd>(answer.what);
  const auto workflow = domain::ExecutionId::parse(end.workflow);
  if (!workflow) return bad_request("'{}' is not a UUID", end.workflow);
  Result<domain::code::Answer> said = read_answer(end);
  if (!said) return pass_on(said.error());
  return Engine::Ending{*id, Engine::CodeAnswer{*workflow, *std::move(said)}};
}

sdk::Reply<sdk::AnswerOutcome> EngineInProcess::heartbeat(domain::AttemptId id, const sdk::Heartbeat& heartbeat) {
  std::optional<domain::Progress> progress;
  if (heartbeat.progress) progress = progress_of(*heartbeat.progress);
  std::promise<Result<AttemptAnswer>> told;
  engine_.heartbeat(principal_, id, heartbeat.lease, std::move(progress),
                    [&](Result<AttemptAnswer> answer) { told.set_value(std::move(answer)); });
  return outcome_of(told.get_future().get());
}

/// Endings share a commit; heartbeats are told one by one.
std::vector<sdk::Reply<sdk::AnswerOutcome>> EngineInProcess::answer(std::span<const sdk::Answer> answers) {
  std::vector<sdk::Reply<sdk::AnswerOutcome>> outcomes(answers.size(), sdk::AnswerOutcome{});
  std::vector<Result<Engine::Ending>> endings;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (const auto* beat = std::get_if<sdk::Heartbeat>(&answers[i].what)) {
      const auto id = domain::AttemptId::parse(answers[i].attempt_id);
      outcomes[i] = id ? heartbeat(*id, *beat) : sdk::AnswerOutcome{sdk::AnswerOutcome::Kind::stale, false};
      continue;
    }
    endings.push_back(ending_of(answers[i]));
    places.push_back(i);
  }
  if (endings.empty()) return outcomes;
  std::promise<std::vector<Result<AttemptAnswer>>> told;
  engine_.end(principal_, std::move(endings),
              [&](std::vector<Result<AttemptAnswer>> ended) { told.set_value(std::move(ended)); });
  const std::vector<Result<AttemptAnswer>> ended = told.get_future().get();
  for (std::size_t i = 0; i < ended.size(); ++i) outcomes[places[i]] = outcome_of(ended[i]);
  return outcomes;
}

}  // namespace semel::embedded
