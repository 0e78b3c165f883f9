#include "engine/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <tuple>
#include <unordered_map>

namespace semel::engine {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;
using Labels = std::map<std::string, std::string>;

const Histogram::BucketBoundaries latencies{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                            0.025,  0.05,    0.1,    0.25,  0.5,    1,     5};
const Histogram::BucketBoundaries group_sizes{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

Family<Counter>& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
Histogram& histogram(prometheus::Registry& registry, const char* name, const char* help,
                     const Histogram::BucketBoundaries& bounds) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

/// The members of a family by their labels: the library's own look-up takes far longer.
template <typename Metric>
class Members {
 public:
  template <typename Make>
  Metric& get(const std::string& key, const Make& make) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = members_.find(key); found != members_.end()) return *found->second;
    }
    const std::unique_lock lock(mutex_);
    Metric& made = make();  // the same again, where another thread was faster
    members_.emplace(key, &made);
    return made;
  }

 private:
  std::shared_mutex mutex_;  // guards members_
  std::unordered_map<std::string, Metric*> members_;
};

prometheus::ClientMetric gauge(const Labels& labels, double value) {
  prometheus::ClientMetric metric;
  for (const auto& [name, text] : labels) metric.label.push_back({name, text});
  metric.gauge.value = value;
  return metric;
}

prometheus::ClientMetric counted(const Labels& labels, std::uint64_t value) {
  prometheus::ClientMetric metric = gauge(labels, 0);
  metric.counter.value = static_cast<double>(value);
  return metric;
}

void add_cache(std::vector<prometheus::MetricFamily>& families, const DedupCache::Counts& cache) {
  using prometheus::MetricType;
  families.push_back({"semel_dedup_cache_hits_total",
                      "Submissions whose holder the dedup cache knew: from its own memory, or from Redis.",
                      MetricType::Counter,
                      {counted({{"from", "memory"}}, cache.hits_near), counted({{"from", "redis"}}, cache.hits_far)}});
  families.push_back({"semel_dedup_cache_misses_total",
                      "Submissions that the dedup cache could not answer, so that PostgreSQL was asked.",
                      MetricType::Counter,
                      {counted({}, cache.misses)}});
  families.push_back({"semel_dedup_cache_errors_total",
                      "Times that Redis did not answer, or with what no server of this store has put there.",
                      MetricType::Counter,
                      {counted({}, cache.errors)}});
  families.push_back({"semel_dedup_cache_reachable",
                      "1 while Redis answers, 0 while it is left alone.",
                      MetricType::Gauge,
                      {gauge({}, cache.is_reachable ? 1 : 0)}});
}

prometheus::MetricFamily family_of(const std::vector<DispatchDepth>& dispatches) {
  prometheus::MetricFamily family{"semel_dispatches",
                                  "Tasks on their way to the target of their queue: unsent, ambiguous, sent.",
                                  prometheus::MetricType::Gauge,
                                  {}};
  for (const DispatchDepth& queue : dispatches) {
    for (const auto& [state, count] :
         {std::pair{"unsent", queue.unsent}, {"ambiguous", queue.ambiguous}, {"sent", queue.sent}}) {
      const Labels labels{{"state", state}, {"queue", queue.queue}, {"tenant", queue.tenant}};
      family.metric.push_back(gauge(labels, static_cast<double>(count)));
    }
  }
  return family;
}

}  // namespace

class Metrics::Inner {
 public:
  Counter& of_tenant(Family<Counter>& family, std::string_view tenant) { return get(family, "tenant", tenant); }
  /// Null for what is not counted: a run that begins or goes on, and a task that waits for another's result.
  Counter* of_change(std::string_view tenant, domain::Kind kind, domain::State state) {
    const bool is_run = kind == domain::Kind::workflow;
    if (domain::is_closed(state))
      return &get(is_run ? runs_closed : closed, "tenant", tenant, "status", domain::name_of(state));
    if (is_run || state == domain::State::suspended) return nullptr;
    return &of_tenant(state == domain::State::pending ? again : leases, tenant);
  }

  /// The member with these labels: name, value, name, value …
  template <typename... Texts>
  Counter& get(Family<Counter>& family, const Texts&... labels) {
    const std::array<std::string_view, sizeof...(labels)> texts{labels...};
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(&family));
    for (std::size_t i = 1; i < texts.size(); i += 2) key.append(1, '\n').append(texts[i]);
    return counters_.get(key, [&]() -> Counter& {
      Labels named;
      for (std::size_t i = 0; i < texts.size(); i += 2) named.emplace(texts[i], texts[i + 1]);
      return family.Add(named);
    });
  }

  prometheus::Registry registry;
  Family<Counter>& created = counters(registry, "semel_tasks_created_total", "Tasks created.");
  Family<Counter>& takeovers =
      counters(registry, "semel_identity_takeovers_total", "Tasks created by taking an identity over.");
  Family<Counter>& closed = counters(registry, "semel_tasks_closed_total", "Tasks closed, by their last status.");
  Family<Counter>& runs_created = counters(registry, "semel_runs_created_total", "Runs of steps created.");
  Family<Counter>& runs_closed =
      counters(registry, "semel_runs_closed_total", "Runs of steps closed, by their last status.");
  Family<Counter>& again =
      counters(registry, "semel_tasks_retried_total", "Tasks that went back into their queue for another attempt.");
  Family<Counter>& leases = counters(registry, "semel_leases_total", "Tasks leased to workers.");
  Family<Counter>& duplicates = counters(registry, "semel_duplicates_total", "Duplicates answered, by the answer.");
  Family<Counter>& firings =
      counters(registry, "semel_schedule_firings_total", "Firings of schedules, by what they came to.");
  Family<Counter>& dispatches =
      counters(registry, "semel_dispatch_requests_total", "Requests to targets of queues, by what came of them.");
  Family<Counter>& requests = counters(registry, "semel_http_requests_total", "HTTP requests answered.");
  Counter& removed =
      counters(registry, "semel_tasks_removed_total", "Closed tasks removed because their retention has passed.")
          .Add({});
  Counter& tombstones_removed =
      counters(registry, "semel_tombstones_removed_total", "Tombstones removed because their time has passed.").Add({});
  Counter& failures = counters(registry, "semel_commit_failures_total", "Transactions that the store refused.").Add({});
  Counter& turned_away =
      counters(registry, "semel_commands_turned_away_total", "Changes refused because the commit queue was full.")
          .Add({});
  Histogram& commit_time = histogram(registry, "semel_commit_seconds", "How long a transaction took.", latencies);
  Histogram& commit_size =
      histogram(registry, "semel_commit_commands", "How many changes shared a transaction.", group_sizes);
  Histogram& probe_time =
      histogram(registry, "semel_store_probe_seconds", "How long the store took to look for duplicates.", latencies);
  Family<Counter>& calls =
      counters(registry, "semel_grpc_requests_total", "gRPC calls answered, by service, method and status.");
  Histogram& call_time = histogram(registry, "semel_grpc_request_seconds", "From a gRPC call to its end.", latencies);
  Histogram& request_time =
      histogram(registry, "semel_http_request_seconds", "From a whole request to its answer.", latencies);

 private:
  Members<Counter> counters_;
};

Metrics::Metrics() : inner_(std::make_unique<Inner>()) {}
Metrics::~Metrics() = default;

void Metrics::applied(const Applied& applied, Seconds took) {
  changed(applied.now, applied.changes);
  activity_.committed(applied.now, took);
  inner_->commit_time.Observe(took.count());
  inner_->commit_size.Observe(static_cast<double>(applied.outcomes.size()));
  std::map<std::pair<std::string_view, domain::Kind>, double> created;
  std::map<std::tuple<std::string_view, domain::Kind, domain::State>, double> counts;
  for (const Change& change : applied.changes) {
    if (change.is_new) created[{change.tenant, change.kind}] += 1;
    else counts[{change.tenant, change.kind, change.state}] += 1;
    if (change.took_over) inner_->of_tenant(inner_->takeovers, change.tenant).Increment();
  }
  for (const Outcome& outcome : applied.outcomes) {
    const auto* advanced = std::get_if<ScheduleAdvanced>(&outcome);
    if (advanced == nullptr) continue;
    for (const domain::FiringRecord& firing : advanced->firings)
      inner_->get(inner_->firings, "outcome", name_of(firing.outcome), "tenant", advanced->schedule->tenant)
          .Increment();
  }
  for (const auto& [what, count] : created) {
    const auto& [tenant, kind] = what;
    inner_->of_tenant(kind == domain::Kind::workflow ? inner_->runs_created : inner_->created, tenant).Increment(count);
  }
  for (const auto& [what, count] : counts) {
    const auto& [tenant, kind, state] = what;
    if (Counter* counter = inner_->of_change(tenant, kind, state)) counter->Increment(count);
  }
}

void Metrics::changed(Time now, const std::vector<Change>& changes) {
  activity_.changed(now, changes);
  queue_rates_.changed(now, changes);
}

void Metrics::swept(int executions, int tombstones) {
  inner_->removed.Increment(executions);
  inner_->tombstones_removed.Increment(tombstones);
}

void Metrics::commit_failed() { inner_->failures.Increment(); }
void Metrics::turned_away(std::size_t commands) { inner_->turned_away.Increment(static_cast<double>(commands)); }
void Metrics::probed(Seconds took) { inner_->probe_time.Observe(took.count()); }

void Metrics::duplicate(Time now, const std::string& tenant, const std::string& answer) {
  activity_.duplicate(now, tenant);
  inner_->get(inner_->duplicates, "answer", answer, "tenant", tenant).Increment();
}

void Metrics::request(std::string_view method, std::string_view route, int status, Seconds took) {
  inner_->get(inner_->requests, "method", method, "route", route, "status", std::to_string(status)).Increment();
  inner_->request_time.Observe(took.count());
}

void Metrics::dispatched(const std::string& tenant, const std::string& queue, std::string_view answer) {
  inner_->get(inner_->dispatches, "answer", answer, "queue", queue, "tenant", tenant).Increment();
}

void Metrics::call(std::string_view service, std::string_view method, std::string_view status, Seconds took) {
  inner_->get(inner_->calls, "service", service, "method", method, "code", status).Increment();
  inner_->call_time.Observe(took.count());
}

std::string Metrics::text(std::size_t commands_waiting, const std::vector<QueueDepth>& queues,
                          const std::vector<DispatchDepth>& dispatches,
                          const std::optional<DedupCache::Counts>& cache) const {
  std::vector<prometheus::MetricFamily> families = inner_->registry.Collect();
  families.push_back({"semel_commit_queue_commands",
                      "Changes that wait to be written.",
                      prometheus::MetricType::Gauge,
                      {gauge({}, static_cast<double>(commands_waiting))}});
  if (cache) add_cache(families, *cache);
  prometheus::MetricFamily depths{
      "semel_queue_tasks",
      "Open tasks of a queue: ready, waiting for their time, blocked by their key, running.",
      prometheus::MetricType::Gauge,
      {}};
  for (const QueueDepth& queue : queues) {
    for (const auto& [phase, count] : {std::pair{"ready", queue.ready},
                                       {"waiting", queue.waiting},
                                       {"blocked", queue.blocked},
                                       {"running", queue.running}}) {
      const Labels labels{{"phase", phase}, {"queue", queue.queue}, {"tenant", queue.tenant}};
      depths.metric.push_back(gauge(labels, static_cast<double>(count)));
    }
  }
  if (!depths.metric.empty()) families.push_back(std::move(depths));
  if (!dispatches.empty()) families.push_back(family_of(dispatches));
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace semel::engine
