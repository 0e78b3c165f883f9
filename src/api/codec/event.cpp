#include "api/codec/answers.hpp"
#include "api/codec/view_texts.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {

std::string encode_event(const engine::Event& event) {
  json::Writer writer;
  const engine::EventSubject& subject = *event.subject;
  writer.begin_object().string("task_uuid", event.id.text()).string("status", name_of(event.state));
  if (!subject.name.empty()) writer.string("namespace", subject.namespace_).string("name", subject.name);
  if (const std::string_view handler = shown_handler(subject.handler); !handler.empty())
    writer.string("handler", handler);
  writer.string("queue", subject.queue);
  if (event.attempt > 0) writer.integer("attempt", event.attempt);
  return writer.string("at", to_rfc3339(event.at)).end_object().take();
}

}  // namespace semel::codec
