// A report every night, made once for each night: not twice after a restart, not twice by two processes, and not
// forgotten when nothing ran at half past two.
//
//   ./scheduled_report [PLACE]           sets the schedule, and makes the report of one night, to see whether it works
//   ./scheduled_report PLACE --work      works until Ctrl-C
//
// PLACE is a file, with the engine in this program, or server:HOST:PORT, the address of a server for gRPC.
#include <semel/connect.hpp>
#include <semel/embed.hpp>
#include <semel/semel.hpp>

#include <iostream>
#include <string_view>

using namespace std::chrono_literals;

semel::Workflow<std::string> report(semel::WorkflowContext& ctx, std::string night) {
  auto sales = ctx.task<int>("sum_up", "sales");  // both at once
  auto stock = ctx.task<int>("sum_up", "stock");
  const int sold = co_await sales;
  const int left = co_await stock;
  co_return "report of " + night + ": " + std::to_string(sold) + " sold, " + std::to_string(left) + " left";
}

semel::Client open(const std::string& place) {
  const std::string server = "server:";
  if (place.starts_with(server)) return semel::connect(place.substr(server.size()));
  return semel::embed(place);
}

int main(int argc, char** argv) {
  semel::Client client = open(argc > 1 ? argv[1] : "reports.db");

  semel::Worker worker(client);
  // What the schedule makes is a task; it starts the workflow. The id of that has the night in it, so that a task that
  // is tried again starts no second one.
  worker.task("nightly", [client](semel::TaskContext& ctx) mutable {
    const std::string& night = ctx.labels().at("semel.nominal_time");
    return client.start_workflow<std::string>("report", "report-" + night, night).id();
  });
  worker.task("sum_up", [](std::string what) { return static_cast<int>(what.size()) * 100; });
  worker.workflow("report", report);

  // To say the same again changes nothing, so a program may say it whenever it starts.
  client.set_schedule("nightly-report",
                      semel::Schedule::cron("30 2 * * *").time_zone("Europe/Berlin").missed(semel::Missed::catch_up),
                      "nightly");

  if (argc > 2 && std::string_view(argv[2]) == "--work") {
    worker.run();
    return 0;
  }
  worker.start();
  const semel::Time night = std::chrono::sys_days(std::chrono::January / 20 / 2026) + 1h + 30min;
  const std::string id = client.run_schedule<std::string>("nightly-report", night).result();
  std::cout << client.workflow<std::string>(id).result() << std::endl;
}
