#include "connected/connection.hpp"

#include "connected/call.hpp"
#include "connected/convert.hpp"

/// What clients ask.
namespace semel::connected {
namespace {

constexpr Duration await_slack = std::chrono::seconds(10);
// Servers take 1,000 tasks and 16 MiB in a message.
constexpr int tasks_a_batch_max = 500;
constexpr std::size_t batch_bytes_max = 8 << 20;

const sdk::Refusal too_large{"PAYLOAD_TOO_LARGE", "the context is larger than any server takes (1 MiB)", false};

void name_target(auto& to, const sdk::Target& target) {
  to.set_workflow_execution_id(target.id);
  to.set_workflow_id(target.key);
}

void name_promise(auto& to, const sdk::Target& target) {
  to.set_promise_id(target.id);
  to.set_key(target.key);
}

}  // namespace

Connection::Connection(const std::string& target, const ConnectOptions& options)
    : channels_(target, options),
      channel_(channels_.open()),
      tasks_(v1::TaskService::NewStub(channel_)),
      workflows_(v1::WorkflowService::NewStub(channel_)),
      promises_(v1::PromiseService::NewStub(channel_)),
      admin_(v1::AdminService::NewStub(channel_)),
      schedules_(v1::ScheduleService::NewStub(channel_)),
      workers_(v1::WorkerService::NewStub(channel_)),
      waits_(channels_) {}

Connection::~Connection() { under_way_.end(); }

std::shared_ptr<SubmitStream> Connection::submit_stream() {
  const std::lock_guard lock(mutex_);
  if (submits_ && submits_->is_open()) return submits_;
  submits_ = std::make_shared<SubmitStream>(under_way_, channels_.address());
  channels_.sign(submits_->context());
  submits_->begin([this](auto* context, auto* stream) { tasks_->async()->StreamTasks(context, stream); });
  return submits_;
}

/// In as few messages as the server takes, all on their way at once.
std::vector<sdk::Reply<sdk::Submitted>> Connection::submit(std::span<const sdk::Submission> submissions) {
  std::vector<sdk::Reply<sdk::Submitted>> replies(submissions.size(), tl::unexpected(too_large));
  std::vector<std::pair<std::vector<std::size_t>, std::future<SubmitStream::Replies>>> under_way;
  const std::shared_ptr<SubmitStream> stream = submit_stream();
  v1::SubmitTasksRequest batch;
  std::vector<std::size_t> places;
  std::size_t bytes = 0;
  const auto send = [&] {
    if (!places.empty()) under_way.emplace_back(std::exchange(places, {}), stream->submit(std::exchange(batch, {})));
    bytes = 0;
  };
  for (std::size_t i = 0; i < submissions.size(); ++i) {
    if (submissions[i].context.size() > batch_bytes_max) continue;
    write(*batch.add_tasks(), submissions[i]);
    places.push_back(i);
    bytes += submissions[i].context.size();
    if (batch.tasks_size() >= tasks_a_batch_max || bytes >= batch_bytes_max) send();
  }
  send();
  for (auto& [indices, future] : under_way) {
    SubmitStream::Replies got = future.get();
    for (std::size_t i = 0; i < indices.size(); ++i) replies[indices[i]] = std::move(got[i]);
  }
  return replies;
}

sdk::Reply<sdk::Submitted> Connection::start_workflow(const sdk::WorkflowStart& start) {
  v1::StartWorkflowRequest request;
  write(request, start);
  const auto response = call<v1::StartWorkflowResponse>(
      {channels_, under_way_}, std::move(request), [this](auto* context, auto* asked, auto* answer, auto done) {
        workflows_->async()->StartWorkflow(context, asked, answer, std::move(done));
      });
  return reply_of<sdk::Submitted>(response, [](const auto& said) { return submitted_of(said); });
}

void Connection::await_result(const std::string& id, Duration wait, std::function<void(sdk::Reply<sdk::State>)> then) {
  v1::AwaitResultRequest request;
  request.set_task_uuid(id);
  set_duration(request.mutable_wait(), wait);
  std::size_t place = 0;
  v1::TaskService::Stub& stub = waits_.begin(place);
  begin_call<v1::AwaitResultResponse>(
      {channels_, under_way_}, std::move(request), wait + await_slack,
      [&stub](auto* context, auto* asked, auto* answer, auto done) {
        stub.async()->AwaitResult(context, asked, answer, std::move(done));
      },
      [this, place, then = std::move(then)](const sdk::Reply<v1::AwaitResultResponse>& response) {
        waits_.end(place);
        then(reply_of<sdk::State>(response, [](const auto& said) { return state_of(said); }));
      });
}

sdk::Reply<std::optional<std::string>> Connection::custom_status(const sdk::Target& workflow) {
  v1::GetWorkflowRequest message;
  name_target(message, workflow);
  const auto response = call<v1::WorkflowExecution>(
      {channels_, under_way_}, std::move(message), [this](auto* context, auto* asked, auto* answer, auto done) {
        workflows_->async()->GetWorkflow(context, asked, answer, std::move(done));
      });
  return reply_of<std::optional<std::string>>(response, [](const auto& said) {
    return said.has_custom_status() ? std::optional(said.custom_status()) : std::nullopt;
  });
}

sdk::Reply<bool> Connection::signal(const sdk::SignalRequest& request) {
  v1::SignalWorkflowRequest message;
  name_target(message, request.workflow);
  message.set_name(request.name);
  message.set_value(request.value);
  if (!request.key.empty()) message.set_key(request.key);
  const auto response = call<v1::SignalWorkflowResponse>(
      {channels_, under_way_}, std::move(message), [this](auto* context, auto* asked, auto* answer, auto done) {
        workflows_->async()->SignalWorkflow(context, asked, answer, std::move(done));
      });
  return reply_of<bool>(response, [](const auto& said) { return !said.already_received(); });
}

sdk::Reply<sdk::Submitted> Connection::create_promise(const sdk::PromiseRequest& request) {
  v1::CreatePromiseRequest message;
  write(message, request);
  const auto response = call<v1::CreatePromiseResponse>(
      {channels_, under_way_}, std::move(message), [this](auto* context, auto* asked, auto* answer, auto done) {
        promises_->async()->Create(context, asked, answer, std::move(done));
      });
  return reply_of<sdk::Submitted>(response, [](const auto& said) { return submitted_of(said); });
}

sdk::Reply<bool> Connection::settle_promise(const sdk::Settlement& settlement) {
  const auto is_first = [](const auto& said) { return !said.already_resolved(); };
  if (const auto* kept = std::get_if<sdk::EndWith>(&settlement.how)) {
    v1::ResolvePromiseRequest message;
    name_promise(message, settlement.promise);
    if (kept->result) message.set_value(*kept->result);
    return reply_of<bool>(call<v1::SettlePromiseResponse>({channels_, under_way_}, std::move(message),
                                                          [this](auto* context, auto* asked, auto* answer, auto done) {
                                                            promises_->async()->Resolve(context, asked, answer,
                                                                                        std::move(done));
                                                          }),
                          is_first);
  }
  v1::RejectPromiseRequest message;
  name_promise(message, settlement.promise);
  write(message, std::get<sdk::FailWith>(settlement.how));
  return reply_of<bool>(call<v1::SettlePromiseResponse>({channels_, under_way_}, std::move(message),
                                                        [this](auto* context, auto* asked, auto* answer, auto done) {
                                                          promises_->async()->Reject(context, asked, answer,
                                                                                     std::move(done));
                                                        }),
                        is_first);
}

/// By its id whatever it is, by a key a workflow.
sdk::Reply<Status> Connection::cancel(const sdk::CancelRequest& request) {
  const auto status = [](const auto& said) { return status_of(said.status()); };
  if (request.execution.id.empty()) {
    v1::CancelWorkflowRequest message;
    name_target(message, request.execution);
    message.set_force(request.force);
    message.set_why(request.why);
    return reply_of<Status>(
        call<v1::CancelWorkflowResponse>({channels_, under_way_}, std::move(message),
                                         [this](auto* context, auto* asked, auto* answer, auto done) {
                                           workflows_->async()->CancelWorkflow(context, asked, answer, std::move(done));
                                         }),
        status);
  }
  v1::CancelTaskRequest message;
  message.set_task_uuid(request.execution.id);
  message.set_force(request.force);
  message.set_why(request.why);
  return reply_of<Status>(call<v1::CancelTaskResponse>({channels_, under_way_}, std::move(message),
                                                       [this](auto* context, auto* asked, auto* answer, auto done) {
                                                         tasks_->async()->CancelTask(context, asked, answer,
                                                                                     std::move(done));
                                                       }),
                          status);
}

/// What was said about the queue before stays where nothing else is said now.
sdk::Reply<void> Connection::configure_queue(const std::string& name, const QueueSettings& settings) {
  v1::GetQueueRequest which;
  which.set_name(name);
  const auto queue = call<v1::Queue>({channels_, under_way_}, std::move(which),
                                     [this](auto* context, auto* asked, auto* answer, auto done) {
                                       admin_->async()->GetQueue(context, asked, answer, std::move(done));
                                     });
  if (!queue) return tl::unexpected(queue.error());
  v1::PutQueueRequest message;
  message.set_name(name);
  *message.mutable_options() = queue->set();
  write(*message.mutable_options(), settings);
  const auto stored = call<v1::Queue>({channels_, under_way_}, std::move(message),
                                      [this](auto* context, auto* asked, auto* answer, auto done) {
                                        admin_->async()->PutQueue(context, asked, answer, std::move(done));
                                      });
  if (!stored) return tl::unexpected(stored.error());
  return {};
}

}  // namespace semel::connected
