#include <atomic>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/filler.hpp"
#include "bench/grpc_load.hpp"
#include "bench/workloads.hpp"
#include "semel/connect.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t holders_count = 1'000;

/// The tasks that duplicates will be of.
void create_holders(std::uint16_t port) {
  Tally tally;
  Load load(port);
  bool sent = false;
  const auto once = [&sent]() -> std::optional<std::uint64_t> {
    if (std::exchange(sent, true)) return std::nullopt;
    return 0;
  };
  load.add(std::make_unique<Sender>(submissions(holders_count, once), tally));
  load.run();
  if (tally.tasks != holders_count) throw std::runtime_error("the holders could not be created");
}

Report send(const Setting& setting, std::uint16_t port, const Sender::Plan& plan) {
  Tally tally;
  Load load(port);
  for (std::size_t i = 0; i < setting.options.in_flight; ++i) load.add(std::make_unique<Sender>(plan, tally));
  const double seconds = load.run();
  return report_of(setting, tally, seconds);
}

Report send_rpc(const Setting& setting, const ServerProcess& server, bool expects_new,
                std::function<std::optional<std::uint64_t>()> next_number) {
  Tally tally;
  GrpcLoad load{server.grpc_port(), setting.options.in_flight, setting.options.batch, setting.options.stream};
  load.expects_new = expects_new;
  load.next_number = std::move(next_number);
  const double seconds = run(load, tally);
  return report_of(setting, tally, seconds);
}

/// Callers of the SDK, each on a thread of its own.
Report send_sdk(const Setting& setting, const ServerProcess& server) {
  ::semel::Client client = ::semel::connect("127.0.0.1:" + std::to_string(server.grpc_port()));
  Tally tally;
  std::mutex mutex;  // guards the tally
  std::atomic<std::uint64_t> number = 0;
  const auto begun = Steady::now();
  const auto end = begun + setting.options.time;
  const auto call = [&] {
    Latencies taken;
    while (Steady::now() < end) {
      const auto sent = Steady::now();
      const std::uint64_t own = number.fetch_add(1);
      client.submit(handler_name, JsonText(context_of(own)),
                    SubmitOptions().queue(std::string(queue_name)).idempotency_key(key_of(own)));
      taken.add(Steady::now() - sent);
    }
    const std::lock_guard lock(mutex);
    tally.tasks += taken.count();
    tally.latencies.add_all(taken);
  };
  {
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < setting.options.in_flight; ++i) callers.emplace_back(call);
  }
  return report_of(setting, tally, std::chrono::duration<double>(Steady::now() - begun).count());
}

}  // namespace

Report measure_submit(const Setting& setting) {
  const Options& options = setting.options;
  Stage::Raw raw = setting.raw();
  raw.prefill = options.prefill;
  const auto ceiling = setting.stage.open_raw(raw);
  if (options.prefill > 0) Filler(setting.stage.open()).add({.key_prefix = "prefill-"}, options.prefill);
  const auto measure_raw = [&] { return ceiling->measure({store::Ceiling::Step::submit}, options.time / 2); };
  const auto submit = [&](const ServerProcess& server) {
    std::uint64_t number = 0;
    const auto end = Steady::now() + options.time;
    const auto next_number = [&]() -> std::optional<std::uint64_t> {
      if (Steady::now() >= end) return std::nullopt;
      return std::exchange(number, number + options.batch);
    };
    if (options.transport == "grpc") return send_rpc(setting, server, true, next_number);
    if (options.transport == "sdk") return send_sdk(setting, server);
    return send(setting, server.port(), submissions(options.batch, next_number));
  };
  return beside_raw(measure_raw, [&] { return on_server(setting, submit); });
}

Report measure_duplicates(const Setting& setting) {
  const Options& options = setting.options;
  const auto ceiling = setting.stage.open_raw(setting.raw());
  if (options.completed) Filler(setting.stage.open()).add_completed({.key_prefix = "bench-"}, holders_count);
  const auto submit_again = [&](const ServerProcess& server) {
    if (!options.completed) create_holders(server.port());
    std::mt19937_64 random(7);
    const auto end = Steady::now() + options.time;
    const auto next_number = [&]() -> std::optional<std::uint64_t> {
      if (Steady::now() >= end) return std::nullopt;
      return random() % holders_count;
    };
    if (options.transport == "grpc") return send_rpc(setting, server, false, next_number);
    Sender::Plan plan{"/v1/tasks"};
    plan.next_body = [&]() -> std::optional<std::string> {
      const std::optional<std::uint64_t> number = next_number();
      return number ? std::optional(task_body(*number)) : std::nullopt;
    };
    plan.count_good = [](int status, const std::string&) -> std::size_t { return status == 409 ? 1 : 0; };
    return send(setting, server.port(), plan);
  };
  return beside_raw([&] { return ceiling->measure_reads(options.time / 4); },
                    [&] { return on_server(setting, submit_again); });
}

}  // namespace semel::bench
