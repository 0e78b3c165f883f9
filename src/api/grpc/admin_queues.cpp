#include "api/grpc/admin_calls.hpp"
#include "api/grpc/admin_views.hpp"

namespace semel::rpc {
namespace {

auto answer_stored_queue(const Responder& to, v1::Queue* response) {
  return [to, response](const Result<engine::QueueView>& stored) {
    to.answer([response, stored] {
      if (!stored) return status_of(stored.error());
      write_queue(*response, *stored, QueueDetail::settings);
      return grpc::Status::OK;
    });
  };
}

}  // namespace

void put_queue(const Call<v1::PutQueueRequest, v1::Queue>& call) {
  Result<domain::QueueOptions> options = read_queue_options(call.request.options());
  if (!options) return call.to.refuse(options.error());
  call.engine.put_queue(call.principal, call.request.name(), *std::move(options),
                        answer_stored_queue(call.to, call.response));
}

void pause_queue(const Call<v1::PauseQueueRequest, v1::Queue>& call) {
  call.engine.pause_queue(call.principal, call.request.name(), true, answer_stored_queue(call.to, call.response));
}

void resume_queue(const Call<v1::ResumeQueueRequest, v1::Queue>& call) {
  call.engine.pause_queue(call.principal, call.request.name(), false, answer_stored_queue(call.to, call.response));
}

void get_queue(const Call<v1::GetQueueRequest, v1::Queue>& call) {
  const Result<engine::QueueView> view = call.engine.queue(call.principal, call.request.name());
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    write_queue(*call.response, *view, QueueDetail::history);
    return grpc::Status::OK;
  });
}

void list_queues(const Call<v1::ListQueuesRequest, v1::ListQueuesResponse>& call) {
  const Result<std::vector<engine::QueueView>> views = call.engine.queues(call.principal);
  if (!views) return call.to.refuse(views.error());
  call.to.answer([&] {
    const QueueDetail detail = call.request.history() ? QueueDetail::history : QueueDetail::counts;
    for (const engine::QueueView& view : *views) write_queue(*call.response->add_queues(), view, detail);
    return grpc::Status::OK;
  });
}

}  // namespace semel::rpc
