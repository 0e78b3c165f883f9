#pragma once
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "domain/workflow/step_task.hpp"
#include "tests/support/any_dag.hpp"
#include "tests/support/builders.hpp"

namespace semel::test {

/// Random commands about runs, over a small world: few contexts, keys and queues, so that runs and tasks meet. The same
/// seed, the same commands, as long as the outcomes that it learns from are the same.
class RandomRuns {
 public:
  explicit RandomRuns(std::uint32_t seed) : random_(seed), ids_(seed), dag_(seed) {}

  Command command() {
    switch (weighted({14, 6, 30, 26, 12, 5, 9, 4, 4, 4, 4, 7, 3, 2, 2, 2})) {
      case 0: return run();
      case 1: return rival();
      case 2: return claim();
      case 3: return Complete{tenant_, attempt(), result()};
      case 4: return Fail{tenant_, attempt(), R"({"type":"X"})", chance(70), std::nullopt};
      case 5: return Cancel{tenant_, execution(), chance(30), "admin", "because"};
      case 6: return RetrySteps{tenant_, a_run(), steps(), "admin", "mended"};
      case 7: return ResolveStep{tenant_, a_run(), step(), result().value_or("1"), "admin", ""};
      case 8: return Reopen{tenant_, execution(), "admin"};
      case 9: return ExpireLeases{};
      case 10: return PromoteDue{};
      case 11: return Remove{tenant_, chance(60) ? a_run() : execution()};
      case 12: return Sweep{1000};
      case 13: return GiveBack{tenant_, {attempt()}};
      case 14: return Release{tenant_, hash_of_key(key()), chance(50), "admin"};
      default: return PutQueue{tenant_, queue(), options(), "admin"};
    }
  }

  Duration step_of_time() { return one_of({0ms, 0ms, 0ms, 1ms, 5s, 10s, 1h}); }
  bool chance(int percent) { return number(1, 100) <= percent; }

  void learn(const Outcome& outcome) {
    if (const Claimed* claimed = std::get_if<Claimed>(&outcome)) {
      for (const Lease& lease : claimed->leases) attempts_.push_back(lease.attempt_id);
    }
  }
  void learn(const Command& command, const Outcome& outcome) {
    learn(outcome);
    const auto* submit = std::get_if<Submit>(&command);
    if (submit == nullptr || !std::holds_alternative<Created>(outcome)) return;
    if (submit->plan) runs_.push_back(submit->spec.id);
  }
  void learn(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (change.is_new) executions_.push_back(change.id);
    }
  }

  const std::vector<domain::ExecutionId>& executions() const { return executions_; }
  const std::vector<domain::ExecutionId>& runs() const { return runs_; }
  std::vector<Hash32> hashes() const { return {hash_of_key("k-1"), hash_of_key("k-2"), hash_of("order")}; }
  const std::string& tenant() const { return tenant_; }

 private:
  static constexpr int steps_max = 5;

  static Hash32 hash_of_key(std::string_view key) {
    return domain::identity_hash({domain::Mode::key, default_tenant, domain::Scope::tenant, "", key, std::nullopt});
  }

  Submit run() {
    std::vector<domain::Step> steps = dag_.any_graph(steps_max).steps();
    for (domain::Step& step : steps) change(step);
    SubmitBuilder made = submission(ids_);
    made.queue(queue()).handler("order").context(context()).window(after_closing(one_of({10s, 36h})));
    made.with([&](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
      each.plan = domain::plan_of_run(steps);
    });
    if (chance(45)) made.key("order");
    if (chance(15)) made.delay(5s);
    if (chance(15)) made.deadline_after(one_of({5s, 1h}));
    if (chance(20)) made.concurrency_key("c");
    return made;
  }

  void change(domain::Step& step) {
    step.queue = queue();
    step.retry.max_attempts = number(1, 2);
    step.retry.base = 5s;
    if (!step.for_each && chance(20))
      step.for_each = domain::ForEach{{"", json::Pointer::parse("/list").value()}, number(1, 3), domain::Join::all};
    if (!chance(35)) return;
    step.idempotency_key = domain::KeyTemplate::parse(step.for_each ? "k-{{index}}" : "k-{{/k}}").value();
  }

  /// A plain task with the key of a step.
  Submit rival() {
    SubmitBuilder made = submission(ids_);
    const std::string text = context();
    made.queue(queue()).handler(chance(85) ? "h" : "other").context(text);
    const std::string key = this->key();
    made.identity(domain::Mode::key, hash_of_key(key)).window(after_closing(one_of({0ms, 10s, 36h})));
    made.with([&](Submit& each) { each.spec.key = key; });
    if (chance(20)) made.deadline_after(5s);
    return made;
  }

  Claim claim() {
    Claim made = claim_of(ids_, static_cast<std::size_t>(number(1, 4)), chance(50) ? 5s : 1h);
    made.queues = {"q1", "q2"};
    return made;
  }

  domain::QueueOptions options() {
    domain::QueueOptions options;
    if (chance(50)) options.max_running_per_key = number(1, 3);
    if (chance(40)) options.retention = one_of({0ms, 10s, 1h});
    return options;
  }

  std::optional<std::string> result() {
    if (chance(15)) return std::nullopt;
    return fmt::format(R"({{"x":{},"list":[{}]}})", number(0, 3), chance(50) ? "1,2,3" : "");
  }
  std::vector<std::string> steps() {
    if (chance(60)) return {};
    return {step()};
  }
  std::string step() { return "s" + std::to_string(number(0, steps_max - 1)); }
  std::string context() { return chance(70) ? R"({"k":1,"list":[1,2]})" : R"({"k":2,"list":[]})"; }
  std::string key() { return chance(60) ? "k-1" : "k-2"; }
  std::string queue() { return chance(70) ? "q1" : "q2"; }

  domain::AttemptId attempt() { return attempts_.empty() ? ids_.attempt() : recent(attempts_); }
  domain::ExecutionId execution() { return executions_.empty() ? ids_.execution() : recent(executions_); }
  domain::ExecutionId a_run() { return runs_.empty() ? ids_.execution() : recent(runs_); }

  template <typename T>
  const T& recent(const std::vector<T>& values) {
    const int size = static_cast<int>(values.size());
    const int first = chance(80) ? std::max(0, size - 8) : 0;
    return values[static_cast<std::size_t>(number(first, size - 1))];
  }
  Duration one_of(const std::vector<Duration>& values) {
    return values[static_cast<std::size_t>(number(0, static_cast<int>(values.size()) - 1))];
  }
  std::size_t weighted(const std::vector<int>& weights) {
    return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
  }
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  const std::string tenant_{default_tenant};
  std::mt19937 random_;
  Ids ids_;
  domain::AnyDag dag_;
  std::vector<domain::ExecutionId> executions_;
  std::vector<domain::ExecutionId> runs_;
  std::vector<domain::AttemptId> attempts_;
};

}  // namespace semel::test
