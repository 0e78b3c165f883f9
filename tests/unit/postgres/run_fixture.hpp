#pragma once
#include <map>
#include <string>
#include <vector>

#include "domain/workflow/step_task.hpp"
#include "tests/support/steps.hpp"
#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {

/// Runs on stores that share a database. The contract suite says what becomes of runs; here is what is special where
/// several servers work on one.
class PostgresRuns : public PostgresStores {
 protected:
  static std::string tenant() { return std::string(default_tenant); }

  Submit run_of(std::vector<domain::Step> steps, std::string context = "{}") {
    for (domain::Step& step : steps) step.retry.max_attempts = 1;
    SubmitBuilder submit = task();
    submit.handler("order").context(std::move(context)).with([&](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
      each.plan = domain::plan_of_run(steps);
    });
    return submit;
  }
  domain::ExecutionId start(Store& store, std::vector<domain::Step> steps, std::string context = "{}") {
    return as<Created>(apply(store, run_of(std::move(steps), std::move(context)))).id;
  }

  /// All that is ready, by its task_key.
  std::map<std::string, Lease> lease_all(Store& store, std::size_t max = 500) {
    std::map<std::string, Lease> leases;
    for (Lease& lease : as<Claimed>(apply(store, claim_of(ids_, max))).leases) {
      const auto& step = lease.execution.spec.step;
      const std::string key = step ? step->task_key : lease.execution.spec.handler;
      leases.emplace(key, std::move(lease));
    }
    return leases;
  }
  static Command completed(const Lease& lease, std::string result = "1") {
    return Complete{tenant(), lease.attempt_id, std::move(result)};
  }

  /// That the server has seen in this database, ever.
  std::int64_t deadlocks() {
    return std::stoll(database_.open()
                          ->execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
                          .text(0, "deadlocks"));
  }
};

}  // namespace semel::test
