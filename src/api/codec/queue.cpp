#include "api/codec/queue.hpp"

#include "api/codec/answers.hpp"
#include "api/codec/fields.hpp"
#include "api/codec/queue_rates.hpp"
#include "base/json/writer.hpp"
#include "domain/queue_option.hpp"

namespace semel::codec {
namespace {

using domain::QueueOptions;
using json::Reader;
using json::Writer;

Result<void> read_text_option(Reader& reader, std::string_view field, QueueOptions& options) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  return domain::set_queue_option(options, field, *text);
}

Result<void> read_number_option(Reader& reader, std::string_view field, QueueOptions& options) {
  const Result<std::int64_t> number = reader.read_integer();
  if (!number) return in_field(field, number.error());
  return domain::set_queue_option(options, field, std::to_string(*number));
}

Result<void> read_flag_option(Reader& reader, std::string_view field, QueueOptions& options) {
  const Result<bool> flag = read_boolean(reader, field);
  if (!flag) return pass_on(flag.error());
  return domain::set_queue_option(options, field, *flag ? "true" : "false");
}

constexpr FieldTable<QueueOptions, 13> queue_fields{{{"retention", read_text_option},
                                                     {"rate_limit", read_text_option},
                                                     {"rate_burst", read_number_option},
                                                     {"max_running", read_number_option},
                                                     {"max_running_per_key", read_number_option},
                                                     {"paused", read_flag_option},
                                                     {"reuse", read_text_option},
                                                     {"dedup_window", read_text_option},
                                                     {"target", read_text_option},
                                                     {"target_timeout", read_text_option},
                                                     {"target_dedup_window", read_text_option},
                                                     {"heartbeat_timeout", read_text_option},
                                                     {"max_in_flight", read_number_option}}};

/// What only stands there when it is so: of the settings and of what was said alike.
template <typename Queue>
void write_limits(Writer& writer, const Queue& queue) {
  if (queue.rate_limit) writer.string("rate_limit", to_text(*queue.rate_limit));
  if (queue.rate_limit && queue.rate_limit->burst) writer.integer("rate_burst", *queue.rate_limit->burst);
  if (queue.max_running) writer.integer("max_running", *queue.max_running);
  if (queue.reuse) writer.string("reuse", name_of(*queue.reuse));
  if (queue.dedup_window) writer.string("dedup_window", to_text(*queue.dedup_window));
}

void write_said(Writer& writer, const QueueOptions& said) {
  writer.begin_object();
  if (said.retention) writer.string("retention", to_text(*said.retention));
  if (said.max_running_per_key) writer.integer("max_running_per_key", *said.max_running_per_key);
  if (said.paused) writer.boolean("paused", *said.paused);
  write_limits(writer, said);
  if (said.target) writer.string("target", said.target->empty() ? "none" : *said.target);
  if (said.target_timeout) writer.string("target_timeout", to_text(*said.target_timeout));
  if (said.target_dedup_window) writer.string("target_dedup_window", to_text(*said.target_dedup_window));
  if (said.heartbeat_timeout) writer.string("heartbeat_timeout", to_text(*said.heartbeat_timeout));
  if (said.max_in_flight) writer.integer("max_in_flight", *said.max_in_flight);
  writer.end_object();
}

/// Only of a queue whose tasks are pushed.
void write_target(Writer& writer, const domain::QueueSettings& settings) {
  if (!settings.target) return;
  writer.string("target", *settings.target).string("target_timeout", to_text(settings.target_timeout));
  writer.string("target_dedup_window", to_text(settings.target_dedup_window));
  writer.string("heartbeat_timeout", to_text(settings.heartbeat_timeout));
  writer.integer("max_in_flight", settings.max_in_flight);
}

/// How much is told of a queue: less of one that was just changed.
enum class Told : std::uint8_t { settings, counts, history };

void write_queue(Writer& writer, const engine::QueueView& view, Told told) {
  writer.begin_object().string("name", view.name).boolean("paused", view.settings.paused);
  writer.string("retention", to_text(view.settings.retention));
  writer.integer("max_running_per_key", view.settings.max_running_per_key);
  write_limits(writer, view.settings);
  write_target(writer, view.settings);
  if (told != Told::settings) {
    writer.key("depth").begin_object().integer("ready", view.depth.ready).integer("waiting", view.depth.waiting);
    writer.integer("blocked", view.depth.blocked).integer("running", view.depth.running).end_object();
    if (view.depth.waits_since) writer.string("waits_since", to_rfc3339(*view.depth.waits_since));
    if (view.rates) write_rates(writer, *view.rates, told == Told::history);
  }
  write_said(writer.key("set"), view.said);
  writer.end_object();
}

}  // namespace

Result<QueueOptions> decode_queue(std::string_view body) {
  QueueOptions options;
  if (Result<void> read = read_body(body, queue_fields, options); !read) return pass_on(read.error());
  if (Result<void> fits = domain::check(options); !fits) return pass_on(fits.error());
  return options;
}

Encoded encode_queue(const engine::QueueView& view) {
  Writer writer;
  write_queue(writer, view, Told::history);
  return {200, writer.take()};
}

Encoded encode_stored_queue(const engine::QueueView& view) {
  Writer writer;
  write_queue(writer, view, Told::settings);
  return {200, writer.take()};
}

Encoded encode_queues(const std::vector<engine::QueueView>& views, bool with_history) {
  Writer writer;
  writer.begin_object().key("queues").begin_array();
  for (const engine::QueueView& view : views) write_queue(writer, view, with_history ? Told::history : Told::counts);
  return {200, writer.end_array().end_object().take()};
}

}  // namespace semel::codec
