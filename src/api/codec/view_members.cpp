#include "api/codec/view_members.hpp"

#include "api/codec/view_texts.hpp"

namespace semel::codec {

void time_member(json::Writer& writer, std::string_view name, const std::optional<Time>& time) {
  if (time) writer.string(name, to_rfc3339(*time));
}

void write_window(json::Writer& writer, const domain::Window& window) { writer.string("window", window_text(window)); }

void write_labels(json::Writer& writer, const domain::Labels& labels) {
  if (labels.empty()) return;
  writer.key("labels").begin_object();
  for (const auto& [name, value] : labels) writer.string(name, value);
  writer.end_object();
}

void write_handler(json::Writer& writer, const domain::ExecutionSpec& spec) {
  if (spec.kind != domain::Kind::promise) writer.string("handler", shown_handler(spec.handler));
}

void write_holder(json::Writer& writer, const Held& held, std::optional<Time> window_end) {
  const domain::Holder& holder = held.holder;
  writer.begin_object().string("execution_id", holder.id.text()).string("status", name_of(holder.state));
  writer.string("created_at", to_rfc3339(holder.created_at));
  time_member(writer, "closed_at", holder.closed_at);
  time_member(writer, "released_at", holder.released_at);
  write_window(writer, holder.window);
  time_member(writer, "window_end", window_end);
  if (holder.tombstone) writer.boolean("result_expired", true);
  writer.end_object();
}

}  // namespace semel::codec
