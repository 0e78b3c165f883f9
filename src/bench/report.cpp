#include <fmt/format.h>

#include "base/json/writer.hpp"
#include "bench/bench.hpp"

namespace semel::bench {
namespace {

double ratio(const Report& report) { return report.raw_per_s > 0 ? report.per_s / report.raw_per_s : 0; }

}  // namespace

std::string to_text(const Report& report) {
  const std::string server =
      report.resident_kib > 0 ? fmt::format(", server {} MiB", report.resident_kib / 1024) : std::string();
  const std::string one_commit =
      report.raw_one_commit_per_s > 0 ? fmt::format(", {:.0f}/s in one commit", report.raw_one_commit_per_s) : "";
  const std::string raw = report.raw_per_s > 0 ? fmt::format("  {} {:.0f}/s{}  ratio {:.2f}", report.yardstick,
                                                             report.raw_per_s, one_commit, ratio(report))
                                               : std::string();
  const std::string each =
      report.bytes_each > 0 ? fmt::format(", {:.0f} bytes for each", report.bytes_each) : std::string();
  const std::string name = report.shape.empty() ? report.workload : report.workload + " " + report.shape;
  return fmt::format(
      "{:<13} {:>4} in flight, batch {:>4}: {:>8.0f}/s  p50 {:.4f} ms  p99 {:.4f} ms{}  ({} tasks, {} refused{}{})",
      name, report.in_flight, report.batch, report.per_s, report.p50_ms, report.p99_ms, raw, report.tasks,
      report.refused, server, each);
}

std::string to_json(const Report& report) {
  json::Writer writer;
  writer.begin_object().string("workload", report.workload);
  if (!report.shape.empty()) writer.string("shape", report.shape);
  writer.string("store", report.store).string("transport", report.transport);
  writer.integer("in_flight", report.in_flight).integer("batch", report.batch);
  writer.raw("per_s", fmt::format("{:.1f}", report.per_s));
  writer.raw("p50_ms", fmt::format("{:.4f}", report.p50_ms)).raw("p99_ms", fmt::format("{:.4f}", report.p99_ms));
  writer.raw("raw_per_s", fmt::format("{:.1f}", report.raw_per_s)).raw("ratio", fmt::format("{:.3f}", ratio(report)));
  if (report.raw_one_commit_per_s > 0)
    writer.raw("raw_one_commit_per_s", fmt::format("{:.1f}", report.raw_one_commit_per_s));
  writer.integer("refused", report.refused).integer("resident_kib", report.resident_kib).integer("tasks", report.tasks);
  if (report.bytes_each > 0) writer.raw("bytes_each", fmt::format("{:.1f}", report.bytes_each));
  return writer.end_object().take();
}

}  // namespace semel::bench
