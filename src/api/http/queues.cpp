#include "api/codec/queue.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

auto answer_stored(const Responder& to) {
  return [to](const Result<engine::QueueView>& stored) {
    if (!stored) return to.refuse(stored.error());
    to.answer(codec::encode_stored_queue(*stored));
  };
}

void set_paused(const Call& call, bool paused) {
  if (!call.request.body.empty() && call.request.body != "{}")
    return call.to.refuse({ErrorCode::bad_request, "the body must be empty or {}"});
  call.engine.pause_queue(call.principal, call.parts[0], paused, answer_stored(call.to));
}

}  // namespace

void put_queue(Call call) {
  Result<domain::QueueOptions> options = codec::decode_queue(call.request.body);
  if (!options) return call.to.refuse(options.error());
  call.engine.put_queue(call.principal, call.parts[0], *std::move(options), answer_stored(call.to));
}

void pause_queue(Call call) { set_paused(call, true); }

void resume_queue(Call call) { set_paused(call, false); }

void get_queue(Call call) {
  const Result<engine::QueueView> view = call.engine.queue(call.principal, call.parts[0]);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_queue(*view));
}

void list_queues(Call call) {
  if (Result<void> known = check_query(call.request, {"history"}); !known) return call.to.refuse(known.error());
  const Result<bool> with_history = flag_from(call.request, "history");
  if (!with_history) return call.to.refuse(with_history.error());
  const Result<std::vector<engine::QueueView>> views = call.engine.queues(call.principal);
  if (!views) return call.to.refuse(views.error());
  call.to.answer(codec::encode_queues(*views, *with_history));
}

}  // namespace semel::http
