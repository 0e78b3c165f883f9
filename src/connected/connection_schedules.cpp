#include "connected/call.hpp"
#include "connected/connection.hpp"
#include "connected/convert.hpp"

/// What clients ask about schedules.
namespace semel::connected {
namespace {

template <typename Response>
sdk::Reply<void> done_or_refused(const sdk::Reply<Response>& response) {
  if (!response) return tl::unexpected(response.error());
  return {};
}

}  // namespace

sdk::Reply<void> Connection::put_schedule(const std::string& name, const std::string& document) {
  v1::PutScheduleRequest message;
  message.set_name(name);
  message.set_document(document);
  return done_or_refused(call<v1::Schedule>({channels_, under_way_}, std::move(message),
                                            [this](auto* context, auto* asked, auto* answer, auto done) {
                                              schedules_->async()->PutSchedule(context, asked, answer, std::move(done));
                                            }));
}

sdk::Reply<void> Connection::remove_schedule(const std::string& name) {
  v1::DeleteScheduleRequest message;
  message.set_name(name);
  return done_or_refused(call<v1::DeleteScheduleResponse>(
      {channels_, under_way_}, std::move(message), [this](auto* context, auto* asked, auto* answer, auto done) {
        schedules_->async()->DeleteSchedule(context, asked, answer, std::move(done));
      }));
}

sdk::Reply<void> Connection::pause_schedule(const std::string& name, bool paused) {
  if (!paused) {
    v1::ResumeScheduleRequest message;
    message.set_name(name);
    return done_or_refused(call<v1::Schedule>(
        {channels_, under_way_}, std::move(message), [this](auto* context, auto* asked, auto* answer, auto done) {
          schedules_->async()->ResumeSchedule(context, asked, answer, std::move(done));
        }));
  }
  v1::PauseScheduleRequest message;
  message.set_name(name);
  return done_or_refused(call<v1::Schedule>(
      {channels_, under_way_}, std::move(message), [this](auto* context, auto* asked, auto* answer, auto done) {
        schedules_->async()->PauseSchedule(context, asked, answer, std::move(done));
      }));
}

sdk::Reply<sdk::Fired> Connection::run_schedule(const std::string& name, Time nominal) {
  v1::RunScheduleRequest message;
  message.set_name(name);
  set_time(message.mutable_nominal_time(), nominal);
  const auto response = call<v1::Firing>({channels_, under_way_}, std::move(message),
                                         [this](auto* context, auto* asked, auto* answer, auto done) {
                                           schedules_->async()->RunSchedule(context, asked, answer, std::move(done));
                                         });
  return reply_of<sdk::Fired>(response, [](const auto& said) { return sdk::Fired{said.task_uuid(), said.error()}; });
}

}  // namespace semel::connected
