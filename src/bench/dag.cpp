#include <fmt/format.h>

#include <stdexcept>

#include "bench/workloads.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t open_runs_a_worker = 4;
constexpr Duration dag_poll_wait = 30s;
constexpr std::uint64_t cycle_numbers = 1'000'000'000;  // each cycle on one store has numbers of its own

/// A template of the namespace bench.
struct Shape {
  std::string_view name;
  std::uint64_t first_cycle;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> steps;  // with what each depends on

  /// As it is stored: canonical JSON.
  std::string document() const {
    std::string all;
    for (const auto& [step, upstreams] : steps) {
      std::string depends_on;
      for (const std::string_view each : upstreams)
        depends_on += fmt::format("{}\"{}\"", depends_on.empty() ? "" : ",", each);
      all += fmt::format(R"({}{{"depends_on":[{}],"handler":"{}","name":"{}"}})", all.empty() ? "" : ",", depends_on,
                         handler_name, step);
    }
    return fmt::format(R"({{"name":"{}","namespace":"bench","queue":"{}","steps":[{}],"version":"1.0.0"}})", name,
                       queue_name, all);
  }
};

const Shape linear{"linear-4", 0, {{"a", {}}, {"b", {"a"}}, {"c", {"b"}}, {"d", {"c"}}}};
const Shape diamond{"diamond-7",
                    2,
                    {{"a", {}},
                     {"b1", {"a"}},
                     {"b2", {"a"}},
                     {"b3", {"a"}},
                     {"b4", {"a"}},
                     {"b5", {"a"}},
                     {"z", {"b1", "b2", "b3", "b4", "b5"}}}};

/// Submitters of runs and workers of their steps at the same time. A run is over when its last step is: its time is
/// from its submission until then. With one in flight there is one run at a time, on a server that does nothing else.
class Dag {
 public:
  Dag(const Setting& setting, const Shape& shape, std::uint16_t port)
      : setting_(setting), shape_(shape), load_(port), open_max_(setting.options.in_flight) {
    if (open_max_ > 1) open_max_ *= open_runs_a_worker;
  }

  Report measure() {
    for (std::size_t i = 0; i < setting_.options.in_flight; ++i) add_worker(i);
    for (std::size_t i = 0; i < setting_.options.in_flight; ++i) add_submitter();
    end_ = Steady::now() + setting_.options.time;
    const double seconds = load_.run();
    done_.refused += submitted_.refused;
    Report report = report_of(setting_, done_, seconds);
    report.shape = shape_.name;
    return report;
  }

 private:
  void add_submitter() {
    Sender::Plan plan{"/v1/tasks", 1};
    plan.next_body = [this]() -> std::optional<std::string> {
      if (is_over()) stop_if_done();
      if (is_over() || open() >= open_max_) return std::nullopt;
      begun_.push_back(Steady::now());
      steps_done_.push_back(0);
      return run_body(shape_.name, begun_.size() - 1);
    };
    plan.count_good = [](int status, const std::string&) -> std::size_t { return status == 201 ? 1 : 0; };
    submitters_.push_back(&load_.add(std::make_unique<Sender>(std::move(plan), submitted_)));
  }

  void add_worker(std::size_t number) {
    Worker::Plan plan{number, 1, dag_poll_wait, step_mark};
    plan.goes_on = [] { return true; };
    plan.leased = [](const std::vector<Leased>&) {};
    plan.completed = [this](const std::vector<Leased>& leases, Steady::time_point) { completed(leases); };
    load_.add(std::make_unique<Worker>(std::move(plan), done_));
  }

  void completed(const std::vector<Leased>& leases) {
    const auto now = Steady::now();
    for (const Leased& leased : leases) {
      if (++steps_done_.at(leased.number) < shape_.steps.size()) continue;
      done_.latencies.add(now - begun_.at(leased.number));
      for (Client* submitter : submitters_) submitter->wake();
    }
    if (is_over()) stop_if_done();
  }

  bool is_over() const { return Steady::now() >= end_; }
  /// The workers' polls would wait on.
  void stop_if_done() {
    if (open() == 0) load_.stop();
  }
  std::size_t open() const { return begun_.size() - submitted_.refused - done_.latencies.count(); }

  const Setting& setting_;
  const Shape& shape_;
  Load load_;
  std::size_t open_max_;
  Steady::time_point end_;
  std::vector<Client*> submitters_;
  std::vector<Steady::time_point> begun_;  // of each run, by its number
  std::vector<std::size_t> steps_done_;    // too
  Tally submitted_;
  Tally done_;  // steps, with the times of whole runs
};

void put_template(const Setting& setting, const Shape& shape) {
  const Command command = PutTemplate{"default", "bench", std::string(shape.name), "1.0.0", shape.document()};
  const Applied applied = setting.stage.open()->apply({&command, 1});
  if (!std::holds_alternative<TemplateStored>(applied.outcomes.front()))
    throw std::runtime_error("the template of the benchmark was not stored");
}

/// Steps a second, beside the tasks a second of `cycle` on the same server, before and after.
Report measure_shape(const Setting& setting, const Shape& shape) {
  put_template(setting, shape);
  Options half = setting.options;
  half.time = setting.options.time / 2;
  const Setting of_cycle{half, setting.stage};
  return with_server(setting, [&](std::uint16_t port) {
    const Report before = run_cycle(of_cycle, port, shape.first_cycle * cycle_numbers);
    Report report = Dag(setting, shape, port).measure();
    const Report after = run_cycle(of_cycle, port, (shape.first_cycle + 1) * cycle_numbers);
    report.raw_per_s = (before.per_s + after.per_s) / 2;
    report.yardstick = "cycle";
    report.refused += before.refused + after.refused;
    return report;
  });
}

}  // namespace

Report measure_linear(const Setting& setting) { return measure_shape(setting, linear); }
Report measure_diamond(const Setting& setting) { return measure_shape(setting, diamond); }

}  // namespace semel::bench
