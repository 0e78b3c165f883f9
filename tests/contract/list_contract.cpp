#include <set>

#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

class ListContract : public StoreContract {
 protected:
  static ListQuery all(std::size_t limit = 100) {
    ListQuery query;
    query.tenant = default_tenant;
    query.limit = limit;
    return query;
  }
  Page list(const ListQuery& query) {
    const Result<Page> page = store().list(query);
    EXPECT_TRUE(page.has_value()) << page.error().message;
    return page.value_or(Page{});
  }
  /// All pages, one after the other; `between` runs after each.
  std::vector<domain::ExecutionId> walk(ListQuery query, const std::function<void()>& between = [] {}) {
    std::vector<domain::ExecutionId> ids;
    do {
      const Page page = list(query);
      EXPECT_LE(page.executions.size(), query.limit);
      for (const domain::Execution& execution : page.executions) ids.push_back(execution.spec.id);
      query.cursor = page.next;
      between();
    } while (query.cursor);
    return ids;
  }
  /// The keys of the tasks that fit, newest first.
  std::vector<std::string> keys(const ListQuery& query) {
    std::vector<std::string> keys;
    for (const domain::Execution& execution : list(query).executions) keys.push_back(execution.spec.key.value_or("-"));
    return keys;
  }
  Submit named(std::string_view key, std::string_view namespace_, std::string_view name) {
    Submit submit = task().key(key);
    submit.spec.named_task = named_task(namespace_, name);
    return submit;
  }
  Submit labelled(std::string_view key, domain::Labels labels) {
    Submit submit = task().key(key);
    submit.spec.labels = std::move(labels);
    return submit;
  }
};
SEMEL_ON_ALL_STORES(ListContract);

using Keys = std::vector<std::string>;

TEST_P(ListContract, ShowsTheNewestFirstWithoutWhatIsLarge) {
  create(task().key("a").queue("other").context(R"({"large":1})"));
  advance(1s);
  create_in(State::completed, task().key("b"));
  EXPECT_EQ(keys(all()), (Keys{"b", "a"}));

  for (const domain::Execution& execution : list(all()).executions) {
    EXPECT_EQ(execution.spec.context, "");
    EXPECT_EQ(execution.result, std::nullopt);
  }
  const domain::Execution newest = list(all()).executions.at(0);
  domain::Execution whole = find(newest.spec.id).value();
  whole.spec.context.clear();
  whole.result.reset();
  EXPECT_EQ(describe(newest), describe(whole));
}

TEST_P(ListContract, FiltersByEachFieldAndByAllTogether) {
  create(named("a", "shop", "charge"));
  create(named("b", "shop", "refund"));
  create(named("c", "bank", "charge"));
  create(task().key("d").queue("slow"));
  create(task().key("e").handler("mail"));
  create(task().key("f").tenant("globex"));
  const auto with = [&](const auto& change) {
    ListQuery query = all();
    change(query);
    return keys(query);
  };

  EXPECT_EQ(with([](ListQuery& query) { query.namespace_ = "shop"; }), (Keys{"b", "a"}));
  EXPECT_EQ(with([](ListQuery& query) { query.name = "charge"; }), (Keys{"c", "a"}));
  EXPECT_EQ(with([](ListQuery& query) { query.queue = "slow"; }), Keys{"d"});
  EXPECT_EQ(with([](ListQuery& query) { query.handler = "mail"; }), Keys{"e"});
  EXPECT_EQ(with([](ListQuery& query) { query.tenant = "globex"; }), Keys{"f"});
  EXPECT_EQ(with([](ListQuery& query) { query.tenant = "nobody"; }), Keys{});
  EXPECT_EQ(with([](ListQuery& query) {
              query.namespace_ = "shop";
              query.name = "charge";
            }),
            Keys{"a"});
  EXPECT_EQ(with([](ListQuery& query) {
              query.namespace_ = "shop";
              query.queue = "slow";
            }),
            Keys{});
}

TEST_P(ListContract, FiltersByState) {
  for (const State state : closed_states) create_in(state, task().key(name_of(state)));
  create(task().key("pending").queue("other"));
  for (const State state : closed_states) {
    ListQuery query = all();
    query.states = {state};
    EXPECT_EQ(keys(query), Keys{std::string(name_of(state))});
  }
  ListQuery query = all();
  query.states = {State::pending, State::failed};
  EXPECT_EQ(keys(query), (Keys{"pending", "failed"}));
  query.states = {State::suspended};
  EXPECT_EQ(keys(query), Keys{});
}

TEST_P(ListContract, FiltersByAllLabelsAtOnce) {
  create(labelled("a", {{"team", "red"}, {"env", "prod"}}));
  create(labelled("b", {{"team", "red"}}));
  create(labelled("c", {{"team", "blue"}, {"env", "prod"}}));
  create(task().key("d"));
  ListQuery query = all();

  query.labels = {{"team", "red"}};
  EXPECT_EQ(keys(query), (Keys{"b", "a"}));
  query.labels = {{"env", "prod"}, {"team", "red"}};
  EXPECT_EQ(keys(query), Keys{"a"});
  query.labels = {{"team", "RED"}};
  EXPECT_EQ(keys(query), Keys{});
}

TEST_P(ListContract, TimesAreHalfOpen) {
  const Time first = now();
  for (const char* key : {"a", "b", "c"}) {
    create(task().key(key));
    advance(1ms);
  }
  ListQuery query = all();
  query.created_after = first + 1ms;
  EXPECT_EQ(keys(query), (Keys{"c", "b"}));
  query.created_before = first + 2ms;
  EXPECT_EQ(keys(query), Keys{"b"});
  query.created_after = std::nullopt;
  EXPECT_EQ(keys(query), (Keys{"b", "a"}));
}

TEST_P(ListContract, FailuresAreFoundAmongEverythingElse) {
  for (const char* key : {"a", "b", "c"}) {
    create_in(State::failed, task().key(key));
    create(task().queue("elsewhere"));
    create_in(State::timed_out, task().key(std::string(key) + "-late"));
    create_in(State::completed, task());
  }
  ListQuery query = all();
  query.states = {State::failed};
  EXPECT_EQ(keys(query), (Keys{"c", "b", "a"}));
  query.states = {State::timed_out, State::failed};
  EXPECT_EQ(keys(query), (Keys{"c-late", "c", "b-late", "b", "a-late", "a"}));
  query.queue = "other";
  EXPECT_EQ(keys(query), Keys{});
  query.queue = std::nullopt;
  query.limit = 4;
  EXPECT_EQ(walk(query).size(), 6u);
  apply(Reopen{std::string(default_tenant), list(query).executions.at(0).spec.id, "boss"});
  EXPECT_EQ(keys(query), (Keys{"c", "b-late", "b", "a-late"})) << "what was tried again has not failed";
}

TEST_P(ListContract, WhatRunsIsFoundAmongEverythingElse) {
  create_in(State::running, task().key("a"));
  create_in(State::completed, task());
  create_in(State::running, task().key("b"));
  create(task().queue("elsewhere"));
  ListQuery query = all();
  query.states = {State::running};
  EXPECT_EQ(keys(query), (Keys{"b", "a"}));
  query.queue = "elsewhere";
  EXPECT_EQ(keys(query), Keys{});
  query.queue = std::nullopt;
  query.limit = 1;
  EXPECT_EQ(walk(query).size(), 2u);
  query.states = {State::running, State::completed};
  EXPECT_EQ(walk(query).size(), 3u);
}

TEST_P(ListContract, PagesShowEachExactlyOnceWhileRowsComeAndGo) {
  std::vector<domain::ExecutionId> staying;
  std::vector<domain::ExecutionId> going;
  for (int i = 0; i < 40; ++i) {
    const domain::ExecutionId id = create(task()).id;
    cancel(id);
    (i % 3 == 0 ? going : staying).push_back(id);
  }
  int round = 0;

  const std::vector<domain::ExecutionId> seen = walk(all(4), [&] {
    create(task());  // newer than all that is walked over
    const auto at = static_cast<std::size_t>(round++);
    if (at < going.size()) remove(going[going.size() - 1 - at]);  // before and behind the walker
  });

  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size()) << "something was shown twice";
  std::vector<domain::ExecutionId> stayed;
  for (const domain::ExecutionId id : seen) {
    if (std::count(staying.begin(), staying.end(), id) > 0) stayed.push_back(id);
  }
  std::reverse(staying.begin(), staying.end());
  EXPECT_EQ(stayed, staying);
}

TEST_P(ListContract, ACursorOutlivesARestart) {
  for (const char* key : {"a", "b", "c"}) create(task().key(key));
  ListQuery query = all(2);
  query.cursor = list(query).next;
  ASSERT_TRUE(query.cursor.has_value());

  reopen();

  EXPECT_EQ(keys(query), Keys{"a"});
}

TEST_P(ListContract, CountsTheOpenTasksOfEachQueue) {
  EXPECT_EQ(store().queue_depths(), std::vector<QueueDepth>{});
  const Time begin = now();
  create_in(State::running, task());
  create(task());
  create(task().delay(1h));
  cancel(create(task()).id);
  create(task().queue("slow"));
  create(task().tenant("globex"));

  const std::vector<QueueDepth> expected{{"acme", "default", 1, 1, 0, 1, begin},
                                         {"acme", "slow", 1, 0, 0, 0, begin},
                                         {"globex", "default", 1, 0, 0, 0, begin}};
  EXPECT_EQ(store().queue_depths(), expected);
  advance(1h);
  promote();
  EXPECT_EQ(store().queue_depths().at(0), (QueueDepth{"acme", "default", 2, 0, 0, 1, begin}));
}

TEST_P(ListContract, TellsSinceWhenTheFirstOfAQueueWaits) {
  const auto since = [&] { return store().queue_depths().at(0).waits_since; };
  const Time begin = now();
  create(task().delay(1h));
  EXPECT_EQ(since(), std::nullopt) << "it waits for its time, and not for a worker";
  advance(1s);
  create(task().priority(9));
  EXPECT_EQ(since(), begin + 1s);
  advance(1s);
  Submit other = task();
  other.spec.handler = "other";
  create(other);
  EXPECT_EQ(since(), begin + 1s) << "the other came later";
  ASSERT_EQ(claim(1).size(), 1u);
  EXPECT_EQ(since(), begin + 2s) << "the urgent one is not waiting any more";
  advance(1h);
  promote();
  EXPECT_EQ(since(), begin + 2s) << "what was delayed waits since its time";
}

TEST_P(ListContract, AHeadStartIsNoWait) {
  create(task().head_start(1h));

  EXPECT_EQ(store().queue_depths().at(0).waits_since, now());
}

TEST_P(ListContract, WhatIsNoCursorIsRefused) {
  create(task());
  for (const char* text : {"", "x", "1x", "-1", "0", "99999999999999999999999"}) {
    ListQuery query = all();
    query.cursor = text;
    const Result<Page> page = store().list(query);
    ASSERT_FALSE(page.has_value()) << text;
    EXPECT_EQ(page.error().code, ErrorCode::bad_request);
  }
}

}  // namespace
}  // namespace semel::test
