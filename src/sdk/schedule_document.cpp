#include "sdk/schedule_document.hpp"

#include <fmt/format.h>

#include <array>

#include "base/json/writer.hpp"
#include "base/time.hpp"

namespace semel::sdk {
namespace {

using json::Writer;

template <typename Value, std::size_t Size>
std::string_view word_of(const std::array<std::string_view, Size>& names, Value value) {
  return names.at(static_cast<std::size_t>(value));
}

void write_timing(Writer& writer, const Schedule& schedule) {
  constexpr std::array<std::string_view, 3> missed{"skip", "once", "catch_up"};
  constexpr std::array<std::string_view, 3> overlap{"skip", "allow", "cancel_previous"};
  if (schedule.at()) writer.string("at", to_rfc3339(*schedule.at()));
  else writer.string("cron", schedule.cron());
  if (!schedule.time_zone().empty()) writer.string("time_zone", schedule.time_zone());
  writer.string("missed", word_of(missed, schedule.missed()));
  if (schedule.catch_up_max()) writer.integer("catch_up_max", *schedule.catch_up_max());
  writer.string("overlap", word_of(overlap, schedule.overlap()));
}

void write_pauses(Writer& writer, const Retry& retry) {
  constexpr std::array<std::string_view, 4> backoff{"fixed", "linear", "exponential", "fibonacci"};
  writer.key("retry").begin_object();
  writer.string("backoff", word_of(backoff, retry.backoff())).string("base", to_text(retry.base()));
  if (retry.cap()) writer.string("cap", to_text(*retry.cap()));
  if (retry.jitter_percent()) writer.raw("jitter", fmt::format("{:.2f}", *retry.jitter_percent() / 100.0));
  writer.end_object();
}

void write_labels(Writer& writer, const detail::TaskSettings& settings) {
  writer.key("labels").begin_object();
  for (const auto& [name, value] : settings.labels) writer.string(name, value);
  writer.end_object();
}

void write_settings(Writer& writer, const detail::TaskSettings& settings) {
  if (!settings.queue.empty()) writer.string("queue", settings.queue);
  if (settings.priority) writer.integer("priority", *settings.priority);
  if (settings.max_attempts) writer.integer("max_attempts", *settings.max_attempts);
  if (settings.retry) write_pauses(writer, *settings.retry);
  if (settings.timeout) writer.integer("timeout_ms", settings.timeout->count());
  if (settings.delay) writer.string("delay", to_text(*settings.delay));
  if (!settings.concurrency_key.empty()) writer.string("concurrency_key", settings.concurrency_key);
  if (!settings.labels.empty()) write_labels(writer, settings);
}

}  // namespace

std::string schedule_document(const Schedule& schedule, std::string_view handler, std::string_view context) {
  Writer writer;
  writer.begin_object();
  write_timing(writer, schedule);
  writer.key("task").begin_object().string("handler", handler).raw("context", context);
  write_settings(writer, schedule.settings());
  writer.end_object().end_object();
  return writer.take();
}

}  // namespace semel::sdk
