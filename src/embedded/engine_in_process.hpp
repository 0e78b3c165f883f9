#pragma once
#include <memory>
#include <string>

#include "engine/engine.hpp"
#include "ports/clock.hpp"
#include "sdk/backend.hpp"

namespace semel::embedded {

/// The engine behind a client of the SDK, in the same process. All permissions are the program's.
class EngineInProcess final : public sdk::Backend {
 public:
  EngineInProcess(std::unique_ptr<Store> store, std::string tenant);
  ~EngineInProcess() override;

  std::vector<sdk::Reply<sdk::Submitted>> submit(std::span<const sdk::Submission> submissions) override;
  sdk::Reply<sdk::Submitted> start_workflow(const sdk::WorkflowStart& start) override;
  void await_result(const std::string& id, Duration wait, std::function<void(sdk::Reply<sdk::State>)> then) override;
  sdk::Reply<std::optional<std::string>> custom_status(const sdk::Target& workflow) override;
  sdk::Reply<bool> signal(const sdk::SignalRequest& request) override;
  sdk::Reply<sdk::Submitted> create_promise(const sdk::PromiseRequest& request) override;
  sdk::Reply<bool> settle_promise(const sdk::Settlement& settlement) override;
  sdk::Reply<Status> cancel(const sdk::CancelRequest& request) override;
  sdk::Reply<void> configure_queue(const std::string& name, const QueueSettings& settings) override;
  sdk::Reply<void> put_schedule(const std::string& name, const std::string& document) override;
  sdk::Reply<void> remove_schedule(const std::string& name) override;
  sdk::Reply<void> pause_schedule(const std::string& name, bool paused) override;
  sdk::Reply<sdk::Fired> run_schedule(const std::string& name, Time nominal) override;
  sdk::Reply<std::vector<sdk::Lease>> poll(const sdk::Poll& poll, std::stop_token stop) override;
  std::vector<sdk::Lease> end_polling(const std::string&) override { return {}; }
  std::vector<sdk::Reply<sdk::AnswerOutcome>> answer(std::span<const sdk::Answer> answers) override;
  sdk::Reply<sdk::HistoryPage> history(const std::string& workflow, std::uint64_t after, int limit) override;

 private:
  std::vector<sdk::Reply<sdk::Submitted>> submit_all(std::vector<Result<domain::Submission>> submissions);
  Result<domain::ExecutionId> find(const sdk::Target& target);
  Result<engine::Engine::Ending> ending_of(const sdk::Answer& answer);
  sdk::Reply<sdk::AnswerOutcome> heartbeat(domain::AttemptId id, const sdk::Heartbeat& heartbeat);

  const domain::Principal principal_;
  std::unique_ptr<Store> store_;
  engine::Engine engine_;  // last: its threads use what is above
};

}  // namespace semel::embedded
