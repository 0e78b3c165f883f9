#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Text in contexts: which are found, and that one page looks at so many and for so long at most.
class SearchContract : public StoreContract {
 protected:
  static ListQuery looking_for(std::string_view path, std::string_view text, std::size_t contexts_max = 1'000) {
    ListQuery query;
    query.tenant = default_tenant;
    query.search = ContextSearch{{json::Pointer::parse(path).value(), std::string(text)}, contexts_max, Time::max()};
    return query;
  }
  /// The keys of what is found, page by page.
  std::vector<std::vector<std::string>> pages(ListQuery query) {
    std::vector<std::vector<std::string>> pages;
    do {
      const Page page = store().list(query).value();
      pages.emplace_back();
      for (const domain::Execution& execution : page.executions) {
        EXPECT_EQ(execution.spec.context, "") << "what is large is not shown";
        pages.back().push_back(execution.spec.key.value_or("-"));
      }
      query.cursor = page.next;
    } while (query.cursor);
    return pages;
  }
  std::vector<std::string> found(const ListQuery& query) {
    std::vector<std::string> all;
    for (const auto& page : pages(query)) all.insert(all.end(), page.begin(), page.end());
    return all;
  }
  /// Tasks 0 to `count` - 1; every tenth has "rare" in its context.
  void create_many(int count) {
    std::vector<Command> commands;
    for (int i = 0; i < count; ++i)
      commands.emplace_back(
          Submit(task().key(std::to_string(i)).context(i % 10 == 0 ? R"({"a":"rare"})" : R"({"a":1})")));
    apply_all(commands);
  }
};
SEMEL_ON_ALL_STORES(SearchContract);

using Keys = std::vector<std::string>;

TEST_P(SearchContract, FindsATextWhereThePathLeads) {
  create(task().key("ada").context(R"({"customer":{"name":"Ada \u00c9va"},"note":"for Bob"})"));
  create(task().key("bob").context(R"({"customer":{"name":"Bob"}})"));
  create(task().key("none").context("7"));
  create(task().key("other").tenant("globex").context(R"({"customer":{"name":"Bob"}})"));

  EXPECT_EQ(found(looking_for("/customer/name", "Ada")), Keys{"ada"});
  EXPECT_EQ(found(looking_for("/customer/name", "Éva")), Keys{"ada"});
  EXPECT_EQ(found(looking_for("/customer/name", "Bob")), Keys{"bob"});
  EXPECT_EQ(found(looking_for("", "Bob")), (Keys{"bob", "ada"}));
  EXPECT_EQ(found(looking_for("/nowhere", "Bob")), Keys{});
  EXPECT_EQ(found(looking_for("", "7")), Keys{"none"});
}

TEST_P(SearchContract, OtherFiltersNarrowIt) {
  create_in(State::failed, task().key("c").context(R"({"a":"x"})"));
  create_in(State::failed, task().key("d").context(R"({"a":"y"})"));
  create(task().key("a").queue("one").context(R"({"a":"x"})"));
  create(task().key("b").context(R"({"a":"x"})"));

  ListQuery query = looking_for("/a", "x");
  query.queue = default_queue;
  EXPECT_EQ(found(query), (Keys{"b", "c"}));
  query.states = {State::failed};
  EXPECT_EQ(found(query), Keys{"c"});
}

TEST_P(SearchContract, PagesAreFullAndShowEachOnce) {
  create_many(200);
  ListQuery query = looking_for("/a", "rare");
  query.limit = 8;

  const auto found = pages(query);

  ASSERT_GE(found.size(), 3u);
  EXPECT_EQ(found[0], (Keys{"190", "180", "170", "160", "150", "140", "130", "120"}));
  EXPECT_EQ(found[1], (Keys{"110", "100", "90", "80", "70", "60", "50", "40"}));
  EXPECT_EQ(found[2], (Keys{"30", "20", "10", "0"}));
}

TEST_P(SearchContract, APageEndsAfterSoManyContextsAndTheCursorLeadsOn) {
  create_many(200);

  const auto found = pages(looking_for("/a", "rare", 100));

  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Keys{"190", "180", "170", "160", "150", "140", "130", "120", "110", "100"}));
  EXPECT_EQ(found[1], (Keys{"90", "80", "70", "60", "50", "40", "30", "20", "10", "0"}));
}

TEST_P(SearchContract, APageEndsWhenItsTimeIsOverButNotBeforeItHasLookedAtSome) {
  create_many(200);
  ListQuery query = looking_for("/a", "rare");
  query.search->until = now();

  const auto found = pages(query);

  ASSERT_EQ(found.size(), 4u) << "64 contexts each, and the rest";
  EXPECT_EQ(found[0], (Keys{"190", "180", "170", "160", "150", "140"}));
  EXPECT_EQ(found[3], Keys{"0"});
  query.search->until = now() + 1ms;
  EXPECT_EQ(pages(query).size(), 1u) << "the time is not over: the clock stands still";
}

TEST_P(SearchContract, FindsWhatHasClosed) {
  create_in(State::completed, task().key("done").context(R"({"a":"x"})"));
  reopen();
  EXPECT_EQ(found(looking_for("/a", "x")), Keys{"done"});
}

}  // namespace
}  // namespace semel::test
