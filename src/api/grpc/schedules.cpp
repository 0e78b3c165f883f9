#include "api/grpc/schedules.hpp"

#include "api/codec/query.hpp"
#include "api/codec/schedule.hpp"
#include "api/grpc/call.hpp"
#include "api/grpc/schedule_views.hpp"

namespace semel::rpc {
namespace {

constexpr Method schedule_method(std::string_view name, bool reads = true) {
  return {"semel.v1.ScheduleService", name, reads};
}

auto answer_schedule(const Responder& to, v1::Schedule* response) {
  return [to, response](const Result<engine::ScheduleView>& view) {
    to.answer([response, view] {
      if (!view) return status_of(view.error());
      write_whole_schedule(*response, *view);
      return grpc::Status::OK;
    });
  };
}

void put_schedule(const Call<v1::PutScheduleRequest, v1::Schedule>& call) {
  Result<domain::ScheduleDefinition> definition = codec::decode_schedule(call.request.name(), call.request.document());
  if (!definition) return call.to.refuse(definition.error());
  call.engine.put_schedule(call.principal, *std::move(definition), answer_schedule(call.to, call.response));
}

void get_schedule(const Call<v1::GetScheduleRequest, v1::Schedule>& call) {
  answer_schedule(call.to, call.response)(call.engine.schedule(call.principal, call.request.name()));
}

void list_schedules(const Call<v1::ListSchedulesRequest, v1::ListSchedulesResponse>& call) {
  const v1::ListSchedulesRequest& request = call.request;
  const Result<std::size_t> limit =
      codec::page_limit(request.has_limit() ? std::optional<std::int64_t>(request.limit()) : std::nullopt);
  if (!limit) return call.to.refuse(limit.error());
  const auto views = call.engine.schedules(call.principal, request.cursor(), *limit);
  if (!views) return call.to.refuse(views.error());
  call.to.answer([&] {
    for (const engine::ScheduleView& view : *views) write_schedule(*call.response->add_schedules(), view);
    if (views->size() == *limit) call.response->set_next_cursor(views->back().record.name);
    return grpc::Status::OK;
  });
}

void delete_schedule(const Call<v1::DeleteScheduleRequest, v1::DeleteScheduleResponse>& call) {
  call.engine.remove_schedule(call.principal, call.request.name(),
                              [to = call.to](const Result<ScheduleRemoved>& removed) {
                                to.answer([removed] {
                                  if (!removed) return status_of(removed.error());
                                  return grpc::Status::OK;
                                });
                              });
}

template <bool Paused, typename Request>
void set_schedule_paused(const Call<Request, v1::Schedule>& call) {
  call.engine.pause_schedule(call.principal, call.request.name(), Paused, answer_schedule(call.to, call.response));
}

void run_schedule(const Call<v1::RunScheduleRequest, v1::Firing>& call) {
  std::optional<Time> nominal;
  if (call.request.has_nominal_time()) {
    const Result<Time> time = read_time("nominal_time", call.request.nominal_time());
    if (!time) return call.to.refuse(time.error());
    nominal = *time;
  }
  call.engine.run_schedule(call.principal, call.request.name(), nominal,
                           [to = call.to, response = call.response](const Result<domain::FiringRecord>& firing) {
                             to.answer([response, firing] {
                               if (!firing) return status_of(firing.error());
                               write_firing(*response, *firing);
                               return grpc::Status::OK;
                             });
                           });
}

}  // namespace

ScheduleService::Reactor* ScheduleService::PutSchedule(Context* context, const v1::PutScheduleRequest* request,
                                                       v1::Schedule* response) {
  static constexpr Method method = schedule_method("PutSchedule");
  return begin(backend_, method, context, request, response, put_schedule);
}

ScheduleService::Reactor* ScheduleService::GetSchedule(Context* context, const v1::GetScheduleRequest* request,
                                                       v1::Schedule* response) {
  static constexpr Method method = schedule_method("GetSchedule");
  return begin(backend_, method, context, request, response, get_schedule);
}

ScheduleService::Reactor* ScheduleService::ListSchedules(Context* context, const v1::ListSchedulesRequest* request,
                                                         v1::ListSchedulesResponse* response) {
  static constexpr Method method = schedule_method("ListSchedules");
  return begin(backend_, method, context, request, response, list_schedules);
}

ScheduleService::Reactor* ScheduleService::DeleteSchedule(Context* context, const v1::DeleteScheduleRequest* request,
                                                          v1::DeleteScheduleResponse* response) {
  static constexpr Method method = schedule_method("DeleteSchedule", false);
  return begin(backend_, method, context, request, response, delete_schedule);
}

ScheduleService::Reactor* ScheduleService::PauseSchedule(Context* context, const v1::PauseScheduleRequest* request,
                                                         v1::Schedule* response) {
  static constexpr Method method = schedule_method("PauseSchedule", false);
  return begin(backend_, method, context, request, response, set_schedule_paused<true, v1::PauseScheduleRequest>);
}

ScheduleService::Reactor* ScheduleService::ResumeSchedule(Context* context, const v1::ResumeScheduleRequest* request,
                                                          v1::Schedule* response) {
  static constexpr Method method = schedule_method("ResumeSchedule", false);
  return begin(backend_, method, context, request, response, set_schedule_paused<false, v1::ResumeScheduleRequest>);
}

ScheduleService::Reactor* ScheduleService::RunSchedule(Context* context, const v1::RunScheduleRequest* request,
                                                       v1::Firing* response) {
  static constexpr Method method = schedule_method("RunSchedule");
  return begin(backend_, method, context, request, response, run_schedule);
}

}  // namespace semel::rpc
