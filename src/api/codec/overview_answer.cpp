#include <fmt/format.h>

#include "api/codec/answers.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

using json::Writer;

void write_counts(Writer& writer, const engine::ActivityCounts& counts) {
  writer.integer("created", counts.created).integer("completed", counts.completed).integer("failed", counts.failed);
  writer.integer("timed_out", counts.timed_out).integer("cancelled", counts.cancelled);
  writer.integer("retried", counts.retried).integer("leased", counts.leased).integer("duplicates", counts.duplicates);
}

}  // namespace

Encoded encode_overview(const engine::OverviewView& view) {
  Writer writer;
  writer.begin_object().string("now", to_rfc3339(view.now)).string("since", to_rfc3339(view.since));
  writer.string("span", view.span == engine::OverviewSpan::hour ? "hour" : "day");
  writer.string("interval", to_text(view.interval));
  writer.key("totals").begin_object();
  write_counts(writer, view.totals);
  writer.end_object().key("points").begin_array();
  for (const engine::Activity::Point& point : view.points) {
    writer.begin_object().string("at", to_rfc3339(point.at));
    write_counts(writer, point.counts);
    writer.end_object();
  }
  writer.end_array();
  if (view.commit_times) {
    writer.key("commit_ms").begin_object();
    writer.raw("p50", fmt::format("{:.3g}", view.commit_times->p50));
    writer.raw("p99", fmt::format("{:.3g}", view.commit_times->p99)).end_object();
  }
  return {200, writer.end_object().take()};
}

Encoded encode_workers(const std::vector<engine::WorkerRegistry::Seen>& workers) {
  const auto write_names = [](Writer& writer, std::string_view key, const std::vector<std::string>& names) {
    writer.key(key).begin_array();
    for (const std::string& name : names) writer.string(name);
    writer.end_array();
  };
  Writer writer;
  writer.begin_object().key("workers").begin_array();
  for (const engine::WorkerRegistry::Seen& seen : workers) {
    writer.begin_object().string("worker_id", seen.asking.worker);
    write_names(writer, "queues", seen.asking.queues);
    if (seen.asking.handlers) write_names(writer, "handlers", *seen.asking.handlers);
    writer.string("asked_at", to_rfc3339(seen.asked_at)).boolean("waiting", seen.waiting > 0).end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

Encoded encode_count(const engine::CountView& view) {
  Writer writer;
  writer.begin_object().integer("count", view.count).boolean("is_exact", view.is_exact);
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
