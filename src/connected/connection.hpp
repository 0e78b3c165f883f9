#pragma once
#include <semel/v1/admin.grpc.pb.h>
#include <semel/v1/promise.grpc.pb.h>
#include <semel/v1/schedule.grpc.pb.h>
#include <semel/v1/task.grpc.pb.h>
#include <semel/v1/workflow.grpc.pb.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "connected/channel.hpp"
#include "connected/holders.hpp"
#include "connected/intake.hpp"
#include "connected/submit_stream.hpp"
#include "connected/under_way.hpp"
#include "connected/waits.hpp"

namespace semel::connected {

/// A server behind a client of the SDK. Submissions go on one stream, each lane of a worker has one, all else are calls
/// on the same connection; only whoever waits for a result does so on others. A stream that broke is opened again by
/// who needs it next.
class Connection final : public sdk::Backend {
 public:
  Connection(const std::string& target, const ConnectOptions& options);
  ~Connection() override;

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
  std::vector<sdk::Lease> end_polling(const std::string& session) override;
  std::vector<sdk::Reply<sdk::AnswerOutcome>> answer(std::span<const sdk::Answer> answers) override;
  sdk::Reply<sdk::HistoryPage> history(const std::string& workflow, std::uint64_t after, int limit) override;

 private:
  std::shared_ptr<SubmitStream> submit_stream();
  std::shared_ptr<Intake> intake(const std::string& session);
  std::shared_ptr<WorkerStream> make_worker_stream(std::weak_ptr<WorkerStream::Listener> listener,
                                                   const v1::Hello& hello);
  void begin(WorkerStream& stream);
  /// The way of a lease's outcome: by the stream that it came by, or one that brings no leases.
  std::shared_ptr<WorkerStream> stream_for(const std::string& attempt_id);

  const Channels channels_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::TaskService::Stub> tasks_;
  const std::unique_ptr<v1::WorkflowService::Stub> workflows_;
  const std::unique_ptr<v1::PromiseService::Stub> promises_;
  const std::unique_ptr<v1::AdminService::Stub> admin_;
  const std::unique_ptr<v1::ScheduleService::Stub> schedules_;
  const std::unique_ptr<v1::WorkerService::Stub> workers_;
  Waits waits_;
  Holders holders_;

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<SubmitStream> submits_;
  std::shared_ptr<WorkerStream> outcomes_;
  std::map<std::string, std::shared_ptr<Intake>> intakes_;  // by session

  UnderWay under_way_;  // last: what is under way uses all of the above
};

}  // namespace semel::connected
