#include "api/codec/queue_rates.hpp"

#include <utility>

#include "base/time.hpp"

namespace semel::codec {
namespace {

void write_counts_of(json::Writer& writer, std::string_view key, const engine::QueueCounts& counts) {
  writer.key(key).begin_object().integer("created", counts.created).integer("started", counts.started);
  writer.integer("completed", counts.completed).integer("failed", counts.failed).integer("retried", counts.retried);
  writer.end_object();
}

}  // namespace

void write_rates(json::Writer& writer, const engine::QueueRates::Rates& rates, bool with_history) {
  using engine::QueueCounts;
  constexpr std::pair<std::string_view, std::uint32_t QueueCounts::*> columns[] = {
      {"created", &QueueCounts::created},
      {"started", &QueueCounts::started},
      {"completed", &QueueCounts::completed},
      {"failed", &QueueCounts::failed},
      {"retried", &QueueCounts::retried}};
  writer.key("rates").begin_object();
  if (rates.since) writer.string("since", to_rfc3339(*rates.since));
  write_counts_of(writer, "minute", rates.minute);
  write_counts_of(writer, "hour", rates.hour);
  if (with_history) {
    writer.key("history").begin_object().string("interval", to_text(Duration(1min)));
    for (const auto& [name, column] : columns) {
      writer.key(name).begin_array();
      for (const QueueCounts& point : rates.history) writer.integer(point.*column);
      writer.end_array();
    }
    writer.end_object();
  }
  writer.end_object();
}

}  // namespace semel::codec
