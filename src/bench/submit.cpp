#include <random>
#include <stdexcept>
#include <utility>

#include "bench/filler.hpp"
#include "bench/grpc_load.hpp"
#include "bench/workloads.hpp"

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
    return send(setting, server.port(), submissions(options.batch, next_number));
  };
  return beside_raw(measure_raw, [&] { return on_server(setting, submit); });
}

Report measure_duplicates(const Setting& setting) {
  const Options& options = setting.options;
  const auto ceiling = setting.stage.open_raw(setting.raw());
  const auto submit_again = [&](const ServerProcess& server) {
    create_holders(server.port());
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
