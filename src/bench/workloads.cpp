#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <stdexcept>

#include "base/uuid7_source.hpp"
#include "bench/bench.hpp"
#include "bench/load.hpp"
#include "bench/server_process.hpp"
#include "domain/submission.hpp"
#include "ports/clock.hpp"
#include "store/sqlite/ceiling.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t holders = 1'000;
constexpr std::size_t prefill_group = 1'000;

/// A folder of our own, gone with this object.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "semel-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string context_of(std::uint64_t number) {
  return fmt::format(
      R"({{"order_id":"ORD-{}","amount":{}.50,"currency":"EUR","customer":{{"id":{},"name":"Ada Lovelace"}},)"
      R"("items":[{{"sku":"A-1","qty":2}},{{"sku":"B-7","qty":1}}]}})",
      number, number % 1000, number % 5000);
}

std::string task_body(std::uint64_t number) {
  return fmt::format(R"({{"handler":"bench","queue":"bench","idempotency_key":"bench-{}","context":{}}})", number,
                     context_of(number));
}

std::string batch_body(std::uint64_t& number, std::size_t count) {
  std::string body = R"({"tasks":[)";
  for (std::size_t i = 0; i < count; ++i) body += (i == 0 ? "" : ",") + task_body(number++);
  return body + "]}";
}

/// Fills the store through its own port, before the server has it.
void prefill(const std::string& file, std::size_t count) {
  const SystemClock clock;
  store::SqliteStore store(file, clock);
  Uuid7Source ids(secure_random);
  const domain::Principal principal{"default", "open", domain::all_permissions};
  for (std::size_t made = 0; made < count; made += prefill_group) {
    std::vector<Command> commands;
    for (std::size_t i = 0; i < prefill_group; ++i) {
      domain::Submission submission;
      submission.handler = "bench";
      submission.queue = "bench";
      submission.key = fmt::format("prefill-{}", made + i);
      submission.context = submission.canonical_context = context_of(made + i);
      Result<domain::Plan> plan =
          domain::plan(std::move(submission), {principal, nullptr, {}, {ids.next(clock.now())}, clock.now()});
      Submit submit{std::move(plan->spec), std::nullopt, std::nullopt};
      submit.reuse = plan->reuse;
      commands.push_back(std::move(submit));
    }
    store.apply(commands);
  }
}

bool all_created(int status, const std::string& body, std::size_t count) {
  if (status != 200) return false;
  std::size_t created = 0;
  for (std::size_t at = body.find(R"("status":201)"); at != std::string::npos;
       at = body.find(R"("status":201)", at + 1))
    ++created;
  return created == count;
}

Report report_of(const Options& options, LoadResult& result, double raw) {
  Report report;
  report.workload = options.workload;
  report.in_flight = options.in_flight;
  report.batch = options.batch;
  report.per_s = static_cast<double>(result.answers * options.batch) / result.seconds;
  report.p50_ms = result.percentile_ms(0.50);
  report.p99_ms = result.percentile_ms(0.99);
  report.raw_per_s = raw;
  report.refused = result.refused;
  report.tasks = result.answers * options.batch;
  return report;
}

/// Raw SQLite is measured before and after, so that a machine that changes its pace does not favour one side.
Report submit(const Options& options, const Folder& folder, const std::string& file) {
  store::SubmitCeiling ceiling(
      {folder / "raw.db", options.in_flight * options.batch, options.prefill, context_of(0).size()});
  if (options.prefill > 0) prefill(file, options.prefill);
  const double raw_before = ceiling.inserts_per_second(options.time / 2);
  ServerProcess server(options.binary, "sqlite:" + file);
  std::uint64_t number = 0;
  Load load{.port = server.port(), .in_flight = options.in_flight, .time = options.time};
  if (options.batch > 1) {
    load.path = "/v1/tasks:batch";
    load.next_body = [&] { return batch_body(number, options.batch); };
    load.good = [&](int status, const std::string& body) { return all_created(status, body, options.batch); };
  } else {
    load.path = "/v1/tasks";
    load.next_body = [&] { return task_body(number++); };
    load.good = [](int status, const std::string&) { return status == 201; };
  }
  LoadResult result = drive(load);
  const std::uint64_t resident = server.resident_kib();
  const double raw_after = ceiling.inserts_per_second(options.time / 2);
  Report report = report_of(options, result, (raw_before + raw_after) / 2);
  report.resident_kib = resident;
  return report;
}

Report duplicates(const Options& options, const Folder& folder, const std::string& file) {
  store::SubmitCeiling ceiling({folder / "raw.db", holders, 0, context_of(0).size()});
  const double raw_before = ceiling.reads_per_second(options.time / 4);
  ServerProcess server(options.binary, "sqlite:" + file);
  std::uint64_t number = 0;
  Load first{.port = server.port(), .in_flight = 1, .time = 60s, .requests_max = 1, .path = "/v1/tasks:batch"};
  first.next_body = [&] { return batch_body(number, holders); };
  first.good = [](int status, const std::string& body) { return all_created(status, body, holders); };
  if (drive(first).refused != 0) throw std::runtime_error("the holders could not be created");
  std::mt19937_64 random(7);
  Load load{.port = server.port(), .in_flight = options.in_flight, .time = options.time, .path = "/v1/tasks"};
  load.next_body = [&] { return task_body(random() % holders); };
  load.good = [](int status, const std::string&) { return status == 409; };
  LoadResult result = drive(load);
  const std::uint64_t resident = server.resident_kib();
  const double raw_after = ceiling.reads_per_second(options.time / 4);
  Report report = report_of(options, result, (raw_before + raw_after) / 2);
  report.resident_kib = resident;
  return report;
}

}  // namespace

Report run(const Options& given) {
  Options options = given;
  if (options.in_flight == 0) options.in_flight = options.batch > 1 ? 8 : 64;
  const Folder folder;
  const std::string file = options.store.empty() ? (folder / "bench.db").string() : options.store;
  if (options.workload == "submit") return submit(options, folder, file);
  if (options.workload == "duplicates") return duplicates(options, folder, file);
  throw std::runtime_error("the workload " + options.workload +
                           " is not supported yet; there are submit and duplicates");
}

}  // namespace semel::bench
