#pragma once
#include "tests/contract/store_contract.hpp"

namespace semel::test {

inline constexpr Duration hold = 40s;

/// Attempts that are pushed to a target (DESIGN §5, ADR 0021).
class DispatchedTasks : public StoreContract {
 protected:
  DispatchedTasks() { set_target("http://target/hook"); }

  void set_target(std::string target) {
    domain::QueueOptions options;
    options.target = std::move(target);
    put_queue(options);
  }

  std::vector<Lease> claim_pushed(std::size_t count) {
    Claim claim = claim_of(ids_, count, domain::unaccepted_lease);
    claim.worker = domain::push_worker;
    claim.push = hold;
    return as<Claimed>(apply(claim)).leases;
  }
  Lease push_one() {
    const std::vector<Lease> leases = claim_pushed(1);
    EXPECT_EQ(leases.size(), 1u);
    return leases.at(0);
  }
  std::vector<Lease> take(int max = 100) { return as<Claimed>(apply(TakeDispatches{max, hold})).leases; }
  AttemptAnswer postpone(domain::AttemptId id, bool is_ambiguous, Duration pause) {
    return as<AttemptAnswer>(apply(PostponeDispatch{std::string(default_tenant), id, is_ambiguous, pause, "503"}));
  }
  AttemptAnswer accepted(domain::AttemptId id, Duration lease = 5min, int repair = 0) {
    return as<AttemptAnswer>(apply(Heartbeat{std::string(default_tenant), id, lease, std::nullopt, "202", repair}));
  }
  AttemptAnswer refused(domain::AttemptId id, int repair) {
    Fail fail{std::string(default_tenant), id, R"({"type":"DISPATCH_REFUSED"})"};
    fail.repair = repair;
    return as<AttemptAnswer>(apply(fail));
  }
  RepairAnswer repair(domain::ExecutionId id) {
    return as<RepairAnswer>(apply(RepairDispatch{std::string(default_tenant), id, "admin-key"}));
  }

  static DispatchQuery query() {
    DispatchQuery query;
    query.tenant = default_tenant;
    return query;
  }
  std::vector<StoredDispatch> open_dispatches() { return store().dispatches(query()); }
  StoredDispatch by_name(const std::string& external_id) {
    DispatchQuery asked = query();
    asked.external_id = external_id;
    const std::vector<StoredDispatch> found = store().dispatches(asked);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? StoredDispatch{} : found[0];
  }
};

}  // namespace semel::test
