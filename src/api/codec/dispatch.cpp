#include "api/codec/dispatch.hpp"

namespace semel::codec {
namespace {

using json::Writer;

void optional_time(Writer& writer, std::string_view name, std::optional<Time> time) {
  if (time) writer.string(name, to_rfc3339(*time));
}

/// The members of one dispatch, wherever it stands.
void write_dispatch_names(Writer& writer, const domain::DispatchIds& ids, domain::ExecutionId task, int attempt) {
  writer.string("dispatch_id", ids.internal).string("external_id", ids.external);
  writer.string("task_uuid", task.text()).integer("attempt", attempt);
}

}  // namespace

void write_push(Writer& writer, const StoredDispatch& stored) {
  const domain::Dispatch& dispatch = stored.dispatch;
  writer.key("push").begin_object().string("state", name_of(dispatch.state)).boolean("open", stored.is_open);
  writer.integer("sends", dispatch.sends);
  if (dispatch.repair > 0) writer.integer("repair", dispatch.repair);
  optional_time(writer, "accepted_at", dispatch.accepted_at);
  if (stored.is_open) optional_time(writer, "next_send_at", dispatch.next_send_at);
  if (!dispatch.answer.empty()) writer.string("answer", dispatch.answer);
  writer.end_object();
}

void write_timers(Writer& writer, const std::vector<domain::DispatchTimer>& timers) {
  writer.key("timers").begin_array();
  for (const domain::DispatchTimer& timer : timers) {
    writer.begin_object().string("timer_id", timer.ids.internal).string("external_id", timer.ids.external);
    writer.string("type", name_of(timer.type)).integer("attempt", timer.attempt);
    writer.string("fire_at", to_rfc3339(timer.fire_at)).string("state", name_of(timer.state)).end_object();
  }
  writer.end_array();
}

Encoded encode_dispatch(const engine::DispatchView& view) {
  Writer writer;
  writer.begin_object();
  write_dispatch_names(writer, view.ids, view.execution.spec.id, view.attempt);
  writer.string("queue", view.execution.spec.queue).string("handler", view.execution.spec.handler);
  writer.string("status", name_of(view.execution.state));
  if (view.record) {
    writer.string("attempt_id", view.record->id.text()).string("outcome", name_of(view.record->outcome));
    writer.string("started_at", to_rfc3339(view.record->started_at));
    optional_time(writer, "ended_at", view.record->ended_at);
  }
  if (view.pushed) write_push(writer, *view.pushed);
  if (!view.timers.empty()) write_timers(writer, view.timers);
  return {200, writer.end_object().take()};
}

Encoded encode_dispatch_found(const engine::DispatchFound& found) {
  if (const auto* const view = std::get_if<engine::DispatchView>(&found)) return encode_dispatch(*view);
  const auto& search = std::get<engine::DispatchSearch>(found);
  Writer writer;
  writer.begin_object().integer("looked_at", static_cast<std::int64_t>(search.looked_at));
  optional_time(writer, "looked_back_to", search.looked_back_to);
  return {202, writer.string("next", search.next).end_object().take()};
}

Encoded encode_dispatches(const std::vector<StoredDispatch>& dispatches, std::size_t limit) {
  Writer writer;
  writer.begin_object().key("dispatches").begin_array();
  for (const StoredDispatch& each : dispatches) {
    writer.begin_object();
    write_dispatch_names(writer, each.dispatch.ids, each.dispatch.execution_id, each.dispatch.attempt);
    writer.string("attempt_id", each.dispatch.attempt_id.text());
    writer.string("queue", each.queue).string("handler", each.handler);
    write_push(writer, each);
    writer.end_object();
  }
  writer.end_array();
  if (dispatches.size() == limit) writer.string("next", dispatches.back().dispatch.attempt_id.text());
  return {200, writer.end_object().take()};
}

Encoded encode_repaired(const domain::Dispatch& dispatch) {
  Writer writer;
  writer.begin_object();
  write_dispatch_names(writer, dispatch.ids, dispatch.execution_id, dispatch.attempt);
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
