#include "store/sqlite/listed_rows.hpp"
#include "tests/support/database.hpp"
#include "tests/unit/sqlite/store_file.hpp"

namespace semel::test {
namespace {

ListQuery tasks_of(const Submit& submit, std::string_view queue) {
  ListQuery query;
  query.tenant = submit.spec.tenant;
  query.queue = queue;
  return query;
}

// A rare task among many: no page may look at more rows than allowed, and yet it is found by following the cursor.
TEST(List, LooksAtABoundedNumberOfRowsAPage) {
  StoreFile store({.list_rows_max = 10});
  Submit rare = store.task("rare");
  rare.spec.queue = "rare";
  store.apply(rare);
  for (int i = 0; i < 35; ++i) store.apply(store.task(i));
  ListQuery query = tasks_of(rare, "rare");
  std::vector<std::size_t> found;

  do {
    const Page page = store->list(query).value();
    found.push_back(page.executions.size());
    query.cursor = page.next;
  } while (query.cursor);

  EXPECT_EQ(found, (std::vector<std::size_t>{0, 0, 0, 1}));
}

// Among a million tasks, a list that sorts takes a tenth of a second for its first page.
TEST(List, NeverSortsWhatItSelects) {
  StoreFile store;
  Database database(store.file());
  ListQuery all, failures, running, workflows, of_run;
  failures.states = {domain::State::failed, domain::State::timed_out};
  running.states = {domain::State::running};
  workflows.kind = domain::Kind::workflow;
  of_run.run = domain::ExecutionId{};

  for (const ListQuery& query : {all, failures, running, workflows, of_run}) {
    const std::string plan = database.plan(std::string(store::sqlite::list_statement(query)));

    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("executions_by_id"), std::string::npos) << plan;
  }
}

TEST(List, JumpsOverWhatRetentionHasRemoved) {
  StoreFile store({.list_rows_max = 10});
  const Submit oldest = store.task("oldest");
  store.apply(oldest);
  for (int i = 0; i < 100; ++i) {
    const Submit each = store.task(i);
    store.apply(each);
    store.apply(Cancel{each.spec.tenant, each.spec.id});
    store.apply(Remove{each.spec.tenant, each.spec.id});
  }
  store.apply(store.task("newest"));
  ListQuery query = tasks_of(oldest, oldest.spec.queue);

  const Page first = store->list(query).value();
  query.cursor = first.next;
  const Page second = store->list(query).value();

  ASSERT_EQ(first.executions.size(), 1u);
  ASSERT_EQ(second.executions.size(), 1u);
  EXPECT_EQ(second.executions[0].spec.id, oldest.spec.id);
  EXPECT_EQ(second.next, std::nullopt);
}

}  // namespace
}  // namespace semel::test
