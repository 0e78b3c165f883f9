#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sdk/client_core.hpp"
#include "sdk/testing/memory_backend.hpp"
#include "sdk/workflow/activations.hpp"
#include "semel/semel.hpp"

namespace semel::sdk {

using namespace std::chrono_literals;

/// A server in memory, and a client of it that never really waits.
struct TestServer {
  std::shared_ptr<MemoryBackend> backend = std::make_shared<MemoryBackend>(Time(1'700'000'000s));
  Client client = client_of(backend);

  static Client client_of(const std::shared_ptr<Backend>& backend) {
    const ClientWorld world{[] { return Time(1'700'000'000s); }, [](Duration) {}};
    return Client(std::make_shared<ClientCore>(backend, ClientOptions().retry_for(1s), world));
  }

  std::vector<Lease> poll(const std::string& handler, int room = 10) {
    return backend->poll({"session", "worker", {{{"default"}, {handler}, room}}, 30s, 0s}, {}).value();
  }
  AnswerOutcome answer(const Answer& answer) {
    const std::vector<Answer> answers{answer};
    return backend->answer(answers).at(0).value();
  }
};

/// A backend whose calls can be counted, stopped and broken; all else is passed on.
class Between : public Backend {
 public:
  explicit Between(std::shared_ptr<Backend> behind) : behind_(std::move(behind)) {}

  std::vector<Reply<Submitted>> submit(std::span<const Submission> all) override { return behind_->submit(all); }
  Reply<Submitted> start_workflow(const WorkflowStart& start) override { return behind_->start_workflow(start); }
  void await_result(const std::string& id, Duration wait, std::function<void(Reply<State>)> then) override {
    behind_->await_result(id, wait, std::move(then));
  }
  Reply<bool> signal(const SignalRequest& request) override { return behind_->signal(request); }
  Reply<Submitted> create_promise(const PromiseRequest& request) override { return behind_->create_promise(request); }
  Reply<bool> settle_promise(const Settlement& settlement) override { return behind_->settle_promise(settlement); }
  Reply<Status> cancel(const CancelRequest& request) override { return behind_->cancel(request); }
  Reply<void> configure_queue(const std::string& name, const QueueSettings& settings) override {
    return behind_->configure_queue(name, settings);
  }
  Reply<std::vector<Lease>> poll(const Poll& poll, std::stop_token stop) override { return behind_->poll(poll, stop); }
  std::vector<Lease> end_polling(const std::string& session) override { return behind_->end_polling(session); }
  std::vector<Reply<AnswerOutcome>> answer(std::span<const Answer> all) override { return behind_->answer(all); }
  Reply<HistoryPage> history(const std::string& workflow, std::uint64_t after, int limit) override {
    return behind_->history(workflow, after, limit);
  }

 protected:
  std::shared_ptr<Backend> behind_;
};

}  // namespace semel::sdk
