#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/writer.hpp"
#include "base/time.hpp"
#include "sdk/commands.hpp"
#include "semel/detail/closing.hpp"

/// The details of events, as the server writes them.
namespace semel::sdk {

inline std::string started_detail(std::string_view kind, std::string_view input) {
  return json::Writer().begin_object().string("kind", kind).raw("input", input).end_object().take();
}

inline std::string signal_detail(std::string_view name, std::string_view value) {
  return json::Writer().begin_object().string("name", name).raw("value", value).end_object().take();
}

inline std::string asked_detail(std::uint64_t number, std::string_view member, std::string_view name) {
  return json::Writer().begin_object().integer("command", number).string(member, name).end_object().take();
}

inline std::string numbered_detail(std::uint64_t number) {
  return json::Writer().begin_object().integer("command", number).end_object().take();
}

inline std::string timer_detail(std::uint64_t number, Time fire_at) {
  return asked_detail(number, "fire_at", to_rfc3339(fire_at));
}

inline std::string cancel_detail(std::uint64_t number, std::uint64_t target) {
  return json::Writer().begin_object().integer("command", number).integer("target", target).end_object().take();
}

inline std::string marker_detail(std::uint64_t number, const Record& record) {
  return json::Writer()
      .begin_object()
      .integer("command", number)
      .string("name", record.name)
      .raw("value", record.value)
      .end_object()
      .take();
}

inline std::string attached_detail(std::string_view holder) {
  return json::Writer().begin_object().string("to", holder).end_object().take();
}

inline std::string conflict_detail(std::uint64_t number, std::string_view key, std::string_view holder) {
  json::Writer writer;
  writer.begin_object().integer("command", number).string("key", key).string("held_by", holder);
  return writer.end_object().take();
}

inline std::string continued_detail(std::uint64_t last_command, std::string_view input) {
  return json::Writer().begin_object().integer("command", last_command).raw("input", input).end_object().take();
}

inline std::string closing_detail(std::uint64_t number, const detail::Closing& closing) {
  json::Writer writer;
  writer.begin_object().integer("command", number);
  if (closing.status != Status::completed) writer.raw("error", closing.error);
  else if (closing.result) writer.raw("result", *closing.result);
  return writer.end_object().take();
}

}  // namespace semel::sdk
