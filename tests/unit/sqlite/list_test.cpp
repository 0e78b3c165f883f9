#include <random>

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

/// How many tasks each page has, from the newest on.
std::vector<std::size_t> sizes_of_pages(store::SqliteStore& store, ListQuery query) {
  std::vector<std::size_t> found;
  do {
    const Page page = store.list(query).value();
    found.push_back(page.executions.size());
    query.cursor = page.next;
  } while (query.cursor);
  return found;
}

// What was looked through in vain is passed over the next time, whatever rare thing is looked for.
TEST(List, PassesOverZonesThatHaveNothingOfWhatIsWanted) {
  StoreFile store({.list_rows_max = 24, .list_zone_rows = 8});
  Submit rare = store.task("rare");
  rare.spec.queue = "rare";
  rare.spec.handler = "rare";
  rare.spec.named_task = domain::NamedTask{{}, "rare", "rare", "1.0.0"};
  rare.spec.labels = {{"order", "a \"7\""}, {"team", "red"}};
  store.apply(rare);
  for (int i = 0; i < 200; ++i) store.apply(store.task(i));
  std::vector<ListQuery> queries(6);
  for (ListQuery& query : queries) query.tenant = rare.spec.tenant;
  queries[0].queue = "rare";
  queries[1].handler = "rare";
  queries[2].namespace_ = "rare";
  queries[3].name = "rare";
  queries[4].labels = {{"order", "a \"7\""}};
  queries[5].labels = {{"team", "red"}};

  const std::vector<std::size_t> first = sizes_of_pages(*store, queries[0]);

  EXPECT_GT(first.size(), 5u) << "each page is bounded";
  EXPECT_EQ(first.back(), 1u);
  for (const ListQuery& query : queries) EXPECT_EQ(sizes_of_pages(*store, query), std::vector<std::size_t>{1});
  ListQuery nobody = queries[0];
  nobody.tenant = "globex";
  EXPECT_EQ(sizes_of_pages(*store, nobody), std::vector<std::size_t>{0});
}

// Pages of a few rows over zones of a few rows, while tasks come and go: whoever looks finds what is there.
TEST(List, PassesOverNothingThatIsWanted) {
  StoreFile store({.list_rows_max = 20, .list_zone_rows = 8});
  std::mt19937 random(17);
  std::vector<Submit> kept;
  const auto pick = [&](std::uint32_t of) { return std::to_string(random() % of); };

  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 60; ++i) {
      Submit submit = store.task(fmt::format("{}-{}", round, i));
      submit.spec.queue = "q" + pick(12);
      submit.spec.handler = "h" + pick(40);
      submit.spec.labels = {{"a", pick(9)}, {"b\\", pick(90)}};
      store.apply(submit);
      if (random() % 4 == 0) {
        store.apply(Cancel{submit.spec.tenant, submit.spec.id});
        store.apply(Remove{submit.spec.tenant, submit.spec.id});
      } else {
        kept.push_back(submit);
      }
    }
    for (int i = 0; i < 40; ++i) {
      ListQuery query;
      query.tenant = kept.front().spec.tenant;
      query.limit = 1 + random() % 5;
      if (random() % 2 == 0) query.queue = "q" + pick(14);
      if (random() % 2 == 0) query.handler = "h" + pick(42);
      if (random() % 3 == 0) query.labels = {{"b\\", pick(92)}};
      std::vector<domain::ExecutionId> expected, found;
      for (const Submit& submit : kept) {
        const domain::ExecutionSpec& spec = submit.spec;
        const bool fits = (!query.queue || *query.queue == spec.queue) &&
                          (!query.handler || *query.handler == spec.handler) &&
                          (query.labels.empty() || query.labels[0] == spec.labels[1]);
        if (fits) expected.insert(expected.begin(), spec.id);
      }
      do {
        const Page page = store->list(query).value();
        for (const domain::Execution& each : page.executions) found.push_back(each.spec.id);
        query.cursor = page.next;
      } while (query.cursor);
      EXPECT_EQ(found, expected) << "round " << round << ", list " << i;
    }
  }
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
