#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sdk/client_core.hpp"

namespace semel::sdk {

/// A backend whose calls can be counted, stopped and broken; all else is passed on.
class Between : public Backend {
 public:
  explicit Between(std::shared_ptr<Backend> behind) : behind_(std::move(behind)) {}
  /// That of a client, which is kept.
  explicit Between(const Client& client) : behind_(client.core(), &client.core()->backend()) {}

  std::vector<Reply<Submitted>> submit(std::span<const Submission> all) override { return behind_->submit(all); }
  Reply<Submitted> start_workflow(const WorkflowStart& start) override { return behind_->start_workflow(start); }
  void await_result(const std::string& id, Duration wait, std::function<void(Reply<State>)> then) override {
    behind_->await_result(id, wait, std::move(then));
  }
  Reply<std::optional<std::string>> custom_status(const Target& workflow) override {
    return behind_->custom_status(workflow);
  }
  Reply<bool> signal(const SignalRequest& request) override { return behind_->signal(request); }
  Reply<Submitted> create_promise(const PromiseRequest& request) override { return behind_->create_promise(request); }
  Reply<bool> settle_promise(const Settlement& settlement) override { return behind_->settle_promise(settlement); }
  Reply<Status> cancel(const CancelRequest& request) override { return behind_->cancel(request); }
  Reply<void> configure_queue(const std::string& name, const QueueSettings& settings) override {
    return behind_->configure_queue(name, settings);
  }
  Reply<void> put_schedule(const std::string& name, const std::string& document) override {
    return behind_->put_schedule(name, document);
  }
  Reply<void> remove_schedule(const std::string& name) override { return behind_->remove_schedule(name); }
  Reply<void> pause_schedule(const std::string& name, bool paused) override {
    return behind_->pause_schedule(name, paused);
  }
  Reply<Fired> run_schedule(const std::string& name, Time nominal) override {
    return behind_->run_schedule(name, nominal);
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
