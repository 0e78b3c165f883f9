#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "domain/usage.hpp"
#include "ports/store.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/describe.hpp"
#include "tests/support/long_run.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/sanitized.hpp"

/// The contract of ports/store.hpp, tried on every store of stores.cpp. The suite is split by theme:
/// identity, window, client_id, tombstone, release, claim, promote, attempt, work, expiry, cancel, upkeep, durable,
/// change, key, list, queue, schedule, and model (random commands, compared with the memory store).
///
/// No order is promised between commands of different kinds in one batch, so batches here are of one kind; but for
/// answers of workers with a claim after them (work).
namespace semel::test {

using domain::Reuse;
using domain::State;

/// A store with its clock and its data, gone with this object.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Store& store() = 0;
  virtual ManualClock& clock() = 0;
  /// Closes the store and opens the same data again. References to the old store are void.
  virtual void reopen() = 0;
  /// The same as if the process had been killed: nothing is closed or tidied up before.
  virtual void crash() = 0;
  /// What a server would do now and then when it has time; nothing may look different after it.
  virtual void rest() {}
};

struct StoreFactory {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>(domain::TenantLimits)> make;
};
inline void PrintTo(const StoreFactory& factory, std::ostream* out) { *out << factory.name; }

/// Every store that has to keep the contract (stores.cpp).
std::vector<StoreFactory> all_stores();
/// Without the one that puts everything away that has closed: there it goes by days, and not one by one.
std::vector<StoreFactory> stores_that_sweep_one_by_one();

inline std::string store_name(const testing::TestParamInfo<StoreFactory>& info) { return info.param.name; }

/// Which of the random sequences, by their seeds, a store is given.
struct Sequences {
  std::uint32_t first = 1;
  std::uint32_t last = 0;
  bool are_all = true;
};

/// All of them in a long run (script/test --long). Else on PostgreSQL, where each takes a second, a sixth, and another
/// sixth under sanitizers; these are given the second half elsewhere.
inline Sequences sequences_on(const StoreFactory& store, std::uint32_t all) {
  const bool is_slow = store.name.starts_with("postgres");
  if (is_long_run() || (!is_slow && !is_sanitized)) return {1, all, true};
  const std::uint32_t part = is_slow ? all / 6 : all / 2;
  const std::uint32_t before = is_sanitized ? part : 0;
  return {before + 1, before + part, false};
}

/// Runs a suite on every store.
#define SEMEL_ON_ALL_STORES(suite) INSTANTIATE_TEST_SUITE_P(Stores, suite, testing::ValuesIn(all_stores()), store_name)

#define SEMEL_ON_STORES_THAT_SWEEP_ONE_BY_ONE(suite) \
  INSTANTIATE_TEST_SUITE_P(Stores, suite, testing::ValuesIn(stores_that_sweep_one_by_one()), store_name)

class StoreContract : public testing::TestWithParam<StoreFactory> {
 protected:
  explicit StoreContract(domain::TenantLimits limits = {}) : under_test_(GetParam().make(limits)) {}

  Store& store() { return under_test_->store(); }
  ManualClock& clock() { return under_test_->clock(); }
  void reopen() { under_test_->reopen(); }
  void crash() { under_test_->crash(); }
  Time now() { return clock().now(); }
  void advance(Duration duration) { clock().advance(duration); }

  std::vector<Outcome> apply_all(const std::vector<Command>& commands) {
    Applied applied = store().apply(commands);
    EXPECT_EQ(applied.outcomes.size(), commands.size());
    changes_ = std::move(applied.changes);
    ready_ = std::move(applied.ready);
    under_test_->rest();
    return std::move(applied.outcomes);
  }

  Outcome apply(const Command& command) { return apply_all({command}).at(0); }

  /// The outcome, which must be a T.
  template <typename T>
  static T as(const Outcome& outcome) {
    if (const T* one = std::get_if<T>(&outcome)) return *one;
    ADD_FAILURE() << "unexpected outcome: " << describe(outcome);
    return T{};
  }

  /// A new submission, whose id is later than all before.
  SubmitBuilder task() { return submission(ids_); }

  Created create(const Submit& submit) { return as<Created>(apply(submit)); }

  /// Expects that the submission is a duplicate, and that a probe knew it before.
  Held expect_held(const Submit& submit) {
    const std::optional<Held> probed = probe(submit);
    const Held held = as<Held>(apply(submit));
    EXPECT_EQ(describe(probed), describe(held));
    return held;
  }

  /// Expects that the submission creates an execution, and that a probe had nothing against it.
  Created expect_created(const Submit& submit) {
    EXPECT_EQ(describe(probe(submit)), "-");
    return create(submit);
  }

  std::optional<Held> probe(const Submit& submit) {
    Submit copy = submit;
    Submit* const one = &copy;
    return store().probe({&one, 1}).at(0);
  }

  /// Leases up to `count` tasks of the default queue.
  std::vector<Lease> claim(std::size_t count, Duration lease = domain::default_lease) {
    return as<Claimed>(apply(claim_of(ids_, count, lease))).leases;
  }

  /// Leases the one task that is ready.
  domain::AttemptId claim_one(Duration lease = domain::default_lease) {
    const std::vector<Lease> leases = claim(1, lease);
    EXPECT_EQ(leases.size(), 1u);
    return leases.empty() ? domain::AttemptId{} : leases[0].attempt_id;
  }

  AttemptAnswer complete(domain::AttemptId attempt, std::optional<std::string> result = std::nullopt) {
    return as<AttemptAnswer>(apply(Complete{std::string(default_tenant), attempt, std::move(result)}));
  }
  AttemptAnswer fail(domain::AttemptId attempt, std::string error = R"({"type":"BOOM","message":"x"})") {
    return as<AttemptAnswer>(apply(Fail{std::string(default_tenant), attempt, std::move(error)}));
  }
  AttemptAnswer heartbeat(domain::AttemptId attempt, Duration lease = domain::default_lease) {
    return as<AttemptAnswer>(apply(Heartbeat{std::string(default_tenant), attempt, lease}));
  }
  CancelAnswer cancel(domain::ExecutionId id) {
    return as<CancelAnswer>(apply(Cancel{std::string(default_tenant), id}));
  }
  LeasesExpired expire(int max = 1000) { return as<LeasesExpired>(apply(ExpireLeases{max})); }
  /// The executions whose leases have ended by now, as they were ended.
  std::vector<domain::ExecutionId> expired(int max = 1000) {
    expire(max);
    std::vector<domain::ExecutionId> ids;
    for (const Change& change : changes_) ids.push_back(change.id);
    return ids;
  }
  Promoted promote(int max = 1000) { return as<Promoted>(apply(PromoteDue{max})); }
  void put_queue(domain::QueueOptions options, std::string_view queue = default_queue) {
    apply(PutQueue{std::string(default_tenant), std::string(queue), std::move(options), "admin-key"});
  }
  Removed::Kind remove(domain::ExecutionId id) {
    return as<Removed>(apply(Remove{std::string(default_tenant), id})).kind;
  }
  Released release(const Hash32& hash, bool force = false) {
    return as<Released>(apply(Release{std::string(default_tenant), hash, force, "admin-key"}));
  }

  std::optional<domain::Execution> find(domain::ExecutionId id) { return store().find(default_tenant, id); }
  std::optional<Held> find_holder(const Hash32& hash) { return store().find_holder(default_tenant, hash); }
  std::optional<domain::Holder> find_tombstone(domain::ExecutionId id) {
    return store().find_tombstone(default_tenant, id);
  }
  std::vector<domain::Attempt> attempts(domain::ExecutionId id) { return store().attempts(default_tenant, id); }
  State state_of(domain::ExecutionId id) {
    const std::optional<domain::Execution> execution = find(id);
    EXPECT_TRUE(execution.has_value());
    return execution ? execution->state : State::suspended;
  }

  /// Creates an execution and brings it into the state, in which it is since now. No other task may be ready.
  domain::ExecutionId create_in(State state, const Submit& submit) {
    const domain::ExecutionId id = create(submit).id;
    if (state == State::cancelled) cancel(id);
    if (state == State::pending || state == State::cancelled) return id;
    const domain::AttemptId attempt = claim_one(1s);
    if (state == State::completed) complete(attempt, R"("done")");
    if (state == State::failed) fail(attempt);
    if (state == State::timed_out) {
      advance(1s);
      expire();
    }
    EXPECT_EQ(state_of(id), state);
    return id;
  }

  Ids ids_;
  std::vector<Change> changes_;  // of the last apply
  std::vector<Ready> ready_;     // too

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
};

inline constexpr std::array all_reuse{Reuse::allow_duplicate_failed_only, Reuse::reject_duplicate,
                                      Reuse::allow_duplicate};
/// A plain task is never suspended.
inline constexpr std::array reachable_states{State::pending, State::running,   State::completed,
                                             State::failed,  State::cancelled, State::timed_out};
inline constexpr std::array closed_states{State::completed, State::failed, State::cancelled, State::timed_out};

/// The table of DESIGN §3.4, written out once more.
inline bool may_take_over(Reuse reuse, State holder) {
  switch (holder) {
    case State::pending:
    case State::running:
    case State::suspended: return false;
    case State::completed: return reuse == Reuse::allow_duplicate;
    case State::failed:
    case State::cancelled:
    case State::timed_out: return reuse != Reuse::reject_duplicate;
  }
  return false;
}

}  // namespace semel::test
