#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

class PostgresArchiveOfPushes : public PostgresStores {
 protected:
  void archive() {
    while (store_->archive()) {
    }
  }

  std::unique_ptr<store::PostgresStore> store_ = open();
};

/// They are found as long as their task is.
TEST_F(PostgresArchiveOfPushes, DispatchesGoWithTheDayOfTheirTask) {
  const std::string tenant(default_tenant);
  domain::QueueOptions options;
  options.target = "http://target/";
  apply(*store_, PutQueue{tenant, std::string(default_queue), options, "admin"});
  apply(*store_, task().build());
  Claim claim = claim_of(ids_, 1, domain::unaccepted_lease);
  claim.worker = domain::push_worker;
  claim.push = 40s;
  const Lease lease = as<Claimed>(apply(*store_, claim)).leases.at(0);
  apply(*store_, Complete{tenant, lease.attempt_id, "1"});
  DispatchQuery query;
  query.tenant = tenant;
  query.external_id = lease.dispatch->ids.external;
  clock_.advance(1h);
  archive();
  EXPECT_EQ(count("closed"), 1);
  EXPECT_EQ(store_->dispatches(query).size(), 1u);

  clock_.advance(8 * 24h);
  archive();  // hidden
  clock_.advance(1min);
  archive();

  EXPECT_EQ(count("closed"), 0);
  EXPECT_EQ(count("dispatches"), 0);
  EXPECT_TRUE(store_->dispatches(query).empty());
}

}  // namespace
}  // namespace semel::test
