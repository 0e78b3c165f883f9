#include "api/grpc/tasks.hpp"

#include <algorithm>
#include <map>

#include "api/codec/by_hand_request.hpp"
#include "api/codec/query.hpp"
#include "api/grpc/call.hpp"
#include "api/grpc/submission.hpp"
#include "api/grpc/task_stream.hpp"
#include "api/grpc/views.hpp"

namespace semel::rpc {
namespace {

constexpr std::string_view task_service = "semel.v1.TaskService";
constexpr Method submit_task_method{task_service, "SubmitTask"};
constexpr Method submit_tasks_method{task_service, "SubmitTasks"};
constexpr Method stream_tasks_method{task_service, "StreamTasks"};
constexpr Method get_task_method{task_service, "GetTask", true};
constexpr Method find_task_method{task_service, "FindTaskByKey", true};
constexpr Method await_result_method{task_service, "AwaitResult", true};
constexpr Method cancel_task_method{task_service, "CancelTask", true};
constexpr Method retry_task_method{task_service, "RetryTask", true};
constexpr Method list_tasks_method{task_service, "ListTasks", true};

void submit_task(const Call<v1::SubmitTaskRequest, v1::SubmitTaskResponse>& call) {
  Result<domain::Submission> submission = read_submission(call.request);
  if (!submission) return call.to.refuse(submission.error());
  if (submission->wait) submission->wait = std::min(*submission->wait, time_left(call.context));
  call.engine.submit(call.principal, *std::move(submission),
                     [to = call.to, response = call.response](engine::SubmitAnswer answer) {
                       to.answer([response, answer = std::move(answer)] {
                         const auto settled = codec::settle(answer);
                         if (!settled) return status_of(settled.error());
                         write_submitted(*response, *settled);
                         return grpc::Status::OK;
                       });
                     });
}

void submit_tasks(const Call<v1::SubmitTasksRequest, v1::SubmitTasksResponse>& call) {
  Result<std::vector<Result<domain::Submission>>> batch = read_batch(call.request);
  if (!batch) return call.to.refuse(batch.error());
  call.response->set_batch_id(call.request.batch_id());
  call.engine.submit_batch(call.principal, *std::move(batch),
                           [to = call.to, response = call.response](std::vector<engine::SubmitAnswer> answers) {
                             to.answer([response, answers = std::move(answers)] {
                               write_batch(*response, answers);
                               return grpc::Status::OK;
                             });
                           });
}

void get_task(const Call<v1::GetTaskRequest, v1::Task>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  const Result<engine::TaskView> view = call.engine.get(call.principal, *id);
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    write_task(*call.response, *view);
    return grpc::Status::OK;
  });
}

void find_task(const Call<v1::FindTaskByKeyRequest, v1::FindTaskByKeyResponse>& call) {
  const v1::FindTaskByKeyRequest& request = call.request;
  const auto text = [](bool is_there, const std::string& value) {
    return is_there ? std::optional(value) : std::nullopt;
  };
  const engine::Engine::KeyQuery query{
      request.key(), text(request.has_namespace_(), request.namespace_()), text(request.has_name(), request.name()),
      text(request.has_version(), request.version()), text(request.has_queue(), request.queue())};
  if (Result<void> fits = codec::check_key_query(query); !fits) return call.to.refuse(fits.error());
  const Result<engine::KeyView> view = call.engine.find_by_key(call.principal, query);
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    write_key(*call.response, *view);
    return grpc::Status::OK;
  });
}

void await_result(const Call<v1::AwaitResultRequest, v1::AwaitResultResponse>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  Duration wait = engine::limits::wait_max;
  if (call.request.has_wait()) {
    const Result<Duration> said = read_duration("wait", call.request.wait());
    if (!said) return call.to.refuse(said.error());
    if (Result<void> fits = codec::check_wait(*said); !fits) return call.to.refuse(fits.error());
    wait = *said;
  }
  call.engine.await_result(call.principal, *id, std::min(wait, time_left(call.context)),
                           [to = call.to, response = call.response](Result<engine::ResultView> view) {
                             to.answer([response, view = std::move(view)] {
                               if (!view) return status_of(view.error());
                               write_result(*response, *view);
                               return grpc::Status::OK;
                             });
                           });
}

void cancel_task(const Call<v1::CancelTaskRequest, v1::CancelTaskResponse>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  if (Result<void> fits = codec::check_why(call.request.why()); !fits) return call.to.refuse(fits.error());
  call.engine.cancel(call.principal, *id, {call.request.force(), call.request.why()},
                     [to = call.to, response = call.response, id = *id](const Result<CancelAnswer>& answer) {
                       to.answer([response, id, answer] {
                         if (!answer) return status_of(answer.error());
                         response->set_task_uuid(id.text());
                         response->set_status(to_wire(*answer->state));
                         if (answer->kind == CancelAnswer::Kind::requested) response->set_cancel_requested(true);
                         return grpc::Status::OK;
                       });
                     });
}

void retry_task(const Call<v1::RetryTaskRequest, v1::RetryTaskResponse>& call) {
  const auto id = codec::parse_id<domain::ExecutionId>(call.request.task_uuid());
  if (!id) return call.to.refuse(id.error());
  const engine::Engine::RetryRequest request{{call.request.steps().begin(), call.request.steps().end()},
                                             call.request.why()};
  if (Result<void> fits = codec::check_why(request.why); !fits) return call.to.refuse(fits.error());
  if (Result<void> fits = codec::check_step_names(request.steps); !fits) return call.to.refuse(fits.error());
  call.engine.retry(call.principal, *id, request,
                    [to = call.to, response = call.response, id = *id](const Result<domain::State>& state) {
                      to.answer([response, id, state] {
                        if (!state) return status_of(state.error());
                        response->set_task_uuid(id.text());
                        response->set_status(to_wire(*state));
                        return grpc::Status::OK;
                      });
                    });
}

Result<ListQuery> list_query_of(const v1::ListTasksRequest& request) {
  ListQuery query;
  if (request.has_namespace_()) query.namespace_ = request.namespace_();
  if (request.has_name()) query.name = request.name();
  if (request.has_queue()) query.queue = request.queue();
  if (request.has_handler()) query.handler = request.handler();
  if (request.has_cursor()) query.cursor = request.cursor();
  for (const int status : request.status()) {
    const auto state = read_choice<domain::State>("status", status, v1::TaskStatus_MAX);
    if (!state) return pass_on(state.error());
    if (!*state) return bad_request("status must be named");
    query.states.push_back(**state);
  }
  if (request.has_kind()) {
    query.kind = domain::parse_kind(request.kind());
    if (!query.kind) return bad_request("kind must be task, workflow or promise");
  }
  codec::name_handler(query);
  if (request.has_parent()) {
    query.run = domain::ExecutionId::parse(request.parent());
    if (!query.run) return bad_request("parent must be the UUID of a run or a workflow");
  }
  Result<std::optional<ContextSearch>> search =
      codec::context_search(request.has_context_path() ? std::optional(request.context_path()) : std::nullopt,
                            request.has_context_text() ? std::optional(request.context_text()) : std::nullopt);
  if (!search) return pass_on(search.error());
  query.search = *std::move(search);
  const std::map<std::string, std::string> labels(request.labels().begin(), request.labels().end());
  for (const auto& [name, value] : labels) query.labels.emplace_back(name, value);
  for (const auto& [is_there, field, from, to] :
       {std::tuple{request.has_created_after(), "created_after", &request.created_after(), &query.created_after},
        std::tuple{request.has_created_before(), "created_before", &request.created_before(), &query.created_before}}) {
    if (!is_there) continue;
    const Result<Time> time = read_time(field, *from);
    if (!time) return pass_on(time.error());
    *to = *time;
  }
  const Result<std::size_t> limit =
      codec::page_limit(request.has_limit() ? std::optional<std::int64_t>(request.limit()) : std::nullopt);
  if (!limit) return pass_on(limit.error());
  query.limit = *limit;
  return query;
}

void list_tasks(const Call<v1::ListTasksRequest, v1::ListTasksResponse>& call) {
  Result<ListQuery> query = list_query_of(call.request);
  if (!query) return call.to.refuse(query.error());
  const Result<Page> page = call.engine.list(call.principal, *std::move(query));
  if (!page) return call.to.refuse(page.error());
  std::vector<domain::Attempt> running;
  if (call.request.leases()) running = call.engine.running_attempts(call.principal, *page);
  call.to.answer([&] {
    write_page(*call.response, *page, running);
    return grpc::Status::OK;
  });
}

}  // namespace

TaskService::Reactor* TaskService::SubmitTask(Context* context, const v1::SubmitTaskRequest* request,
                                              v1::SubmitTaskResponse* response) {
  return begin(backend_, submit_task_method, context, request, response, submit_task);
}

TaskService::Reactor* TaskService::SubmitTasks(Context* context, const v1::SubmitTasksRequest* request,
                                               v1::SubmitTasksResponse* response) {
  return begin(backend_, submit_tasks_method, context, request, response, submit_tasks);
}

grpc::ServerBidiReactor<v1::SubmitTasksRequest, v1::SubmitTasksResponse>* TaskService::StreamTasks(Context* context) {
  return open_stream<TaskStream>(backend_, stream_tasks_method, *context);
}

TaskService::Reactor* TaskService::GetTask(Context* context, const v1::GetTaskRequest* request, v1::Task* response) {
  return begin(backend_, get_task_method, context, request, response, get_task);
}

TaskService::Reactor* TaskService::FindTaskByKey(Context* context, const v1::FindTaskByKeyRequest* request,
                                                 v1::FindTaskByKeyResponse* response) {
  return begin(backend_, find_task_method, context, request, response, find_task);
}

TaskService::Reactor* TaskService::AwaitResult(Context* context, const v1::AwaitResultRequest* request,
                                               v1::AwaitResultResponse* response) {
  return begin(backend_, await_result_method, context, request, response, await_result);
}

TaskService::Reactor* TaskService::CancelTask(Context* context, const v1::CancelTaskRequest* request,
                                              v1::CancelTaskResponse* response) {
  return begin(backend_, cancel_task_method, context, request, response, cancel_task);
}

TaskService::Reactor* TaskService::RetryTask(Context* context, const v1::RetryTaskRequest* request,
                                             v1::RetryTaskResponse* response) {
  return begin(backend_, retry_task_method, context, request, response, retry_task);
}

TaskService::Reactor* TaskService::ListTasks(Context* context, const v1::ListTasksRequest* request,
                                             v1::ListTasksResponse* response) {
  return begin(backend_, list_tasks_method, context, request, response, list_tasks);
}

}  // namespace semel::rpc
