#include "api/codec/schedule.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

auto answer_schedule(const Responder& to) {
  return [to](const Result<engine::ScheduleView>& view) {
    if (!view) return to.refuse(view.error());
    to.answer(codec::encode_schedule(*view));
  };
}

void set_schedule_paused(const Call& call, bool paused) {
  if (!call.request.body.empty() && call.request.body != "{}")
    return call.to.refuse({ErrorCode::bad_request, "the body must be empty or {}"});
  call.engine.pause_schedule(call.principal, call.parts[0], paused, answer_schedule(call.to));
}

}  // namespace

void put_schedule(Call call) {
  Result<domain::ScheduleDefinition> definition = codec::decode_schedule(call.parts[0], call.request.body);
  if (!definition) return call.to.refuse(definition.error());
  call.engine.put_schedule(call.principal, *std::move(definition), answer_schedule(call.to));
}

void pause_schedule(Call call) { set_schedule_paused(call, true); }

void resume_schedule(Call call) { set_schedule_paused(call, false); }

void delete_schedule(Call call) {
  call.engine.remove_schedule(call.principal, call.parts[0], [to = call.to](const Result<ScheduleRemoved>& removed) {
    if (!removed) return to.refuse(removed.error());
    to.respond({204, "", "application/json", {}});
  });
}

void run_schedule(Call call) {
  const Result<std::optional<Time>> nominal = codec::decode_run(call.request.body);
  if (!nominal) return call.to.refuse(nominal.error());
  call.engine.run_schedule(call.principal, call.parts[0], *nominal,
                           [to = call.to](const Result<domain::FiringRecord>& firing) {
                             if (!firing) return to.refuse(firing.error());
                             to.answer(codec::encode_firing(*firing));
                           });
}

void get_schedule(Call call) { answer_schedule(call.to)(call.engine.schedule(call.principal, call.parts[0])); }

void list_schedules(Call call) {
  if (Result<void> known = check_query(call.request, {"limit", "cursor"}); !known) return call.to.refuse(known.error());
  const Result<std::size_t> limit = limit_from(call.request);
  if (!limit) return call.to.refuse(limit.error());
  const std::string after = text_from(call.request, "cursor").value_or("");
  const Result<std::vector<engine::ScheduleView>> views = call.engine.schedules(call.principal, after, *limit);
  if (!views) return call.to.refuse(views.error());
  call.to.answer(codec::encode_schedules(*views, *limit));
}

}  // namespace semel::http
