#include <algorithm>

#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// Templates, and the counting of duplicates.
class UpkeepContract : public StoreContract {
 protected:
  TemplateStored put(std::string version, std::string document, std::string tenant = std::string(default_tenant)) {
    return as<TemplateStored>(
        apply(PutTemplate{std::move(tenant), "shop", "charge", std::move(version), std::move(document)}));
  }
  int remove_template(std::string version, std::string name = "charge") {
    return as<TemplateRemoved>(
               apply(RemoveTemplate{std::string(default_tenant), "shop", std::move(name), std::move(version)}))
        .count;
  }
  std::vector<std::string> templates() {
    std::vector<std::string> texts;
    for (const StoredTemplate& stored : store().templates()) texts.push_back(describe(stored));
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  DuplicateTally tally(domain::ExecutionId id, std::uint64_t count, int first, int last) {
    DuplicateTally made{std::string(default_tenant), id, count, {}};
    for (int i = first; i <= last; ++i) made.last.push_back({now() + Duration{i}, "key-1", std::to_string(i)});
    return made;
  }
  DuplicateTally duplicates(domain::ExecutionId id) { return store().duplicates(default_tenant, id); }
};
SEMEL_ON_ALL_STORES(UpkeepContract);

using Texts = std::vector<std::string>;

TEST_P(UpkeepContract, OtherContentUnderAVersionIsItsNextRevision) {
  const TemplateStored first = put("1.0.0", R"({"a":1})");
  const TemplateStored second = put("1.0.0", R"({"a":2})");
  const TemplateStored back = put("1.0.0", R"({"a":1})");

  EXPECT_EQ(first.revision, 1);
  EXPECT_TRUE(first.changed);
  EXPECT_EQ(second.revision, 2);
  EXPECT_TRUE(second.changed);
  EXPECT_EQ(back.revision, 3);
  EXPECT_TRUE(back.changed);
  EXPECT_EQ(templates(), Texts{R"(template[acme shop/charge@1.0.0#3 "{"a":1}"])"});
}

TEST_P(UpkeepContract, TheSameContentChangesNothing) {
  put("1.0.0", R"({"a":1})");
  put("1.0.0", R"({"a":2})");

  const TemplateStored again = put("1.0.0", R"({"a":2})");

  EXPECT_EQ(again.revision, 2);
  EXPECT_FALSE(again.changed);
}

TEST_P(UpkeepContract, VersionsNamesAndTenantsHaveRevisionsOfTheirOwn) {
  put("1.0.0", "{}");
  put("1.0.0", "[]");

  EXPECT_EQ(put("1.0.1", "{}").revision, 1);
  EXPECT_EQ(put("1.0.0", "{}", "globex").revision, 1);

  const Texts expected{R"(template[acme shop/charge@1.0.0#2 "[]"])", R"(template[acme shop/charge@1.0.1#1 "{}"])",
                       R"(template[globex shop/charge@1.0.0#1 "{}"])"};
  EXPECT_EQ(templates(), expected);
  reopen();
  EXPECT_EQ(templates(), expected);
}

TEST_P(UpkeepContract, TwoPutsInOneBatchAreSettledInOrder) {
  const PutTemplate first{std::string(default_tenant), "shop", "charge", "1.0.0", "1"};
  PutTemplate second = first;
  second.document = "2";

  const std::vector<Outcome> outcomes = apply_all({first, first, second});

  EXPECT_TRUE(as<TemplateStored>(outcomes.at(0)).changed);
  EXPECT_FALSE(as<TemplateStored>(outcomes.at(1)).changed);
  EXPECT_EQ(as<TemplateStored>(outcomes.at(2)).revision, 2);
  EXPECT_EQ(templates(), Texts{R"(template[acme shop/charge@1.0.0#2 "2"])"});
}

TEST_P(UpkeepContract, OneVersionOrAllAreRemoved) {
  put("1.0.0", "{}");
  put("1.0.1", "{}");
  put("2.0.0", "{}");
  put("1.0.0", "{}", "globex");
  apply(PutTemplate{std::string(default_tenant), "shop", "charge_twice", "1.0.0", "{}"});

  EXPECT_EQ(remove_template("1.0.1"), 1);
  EXPECT_EQ(remove_template("1.0.1"), 0);
  EXPECT_EQ(remove_template("9.9.9"), 0);
  EXPECT_EQ(remove_template("", "refund"), 0);
  EXPECT_EQ(remove_template(""), 2);

  const Texts rest{R"(template[acme shop/charge_twice@1.0.0#1 "{}"])", R"(template[globex shop/charge@1.0.0#1 "{}"])"};
  EXPECT_EQ(templates(), rest);
  reopen();
  EXPECT_EQ(templates(), rest);
}

TEST_P(UpkeepContract, ARevisionNeverNamesTwoContents) {
  put("1.0.0", "1");
  put("1.0.0", "2");
  remove_template("");
  reopen();

  const TemplateStored again = put("1.0.0", "3");

  EXPECT_EQ(again.revision, 3);
  EXPECT_TRUE(again.changed);
  remove_template("1.0.0");
  EXPECT_EQ(put("1.0.0", "3").revision, 4);
}

TEST_P(UpkeepContract, WithoutDuplicatesTheTallyIsEmpty) {
  const domain::ExecutionId id = create(task()).id;

  for (const domain::ExecutionId asked : {id, ids_.execution()}) {
    const DuplicateTally none = duplicates(asked);
    EXPECT_EQ(none.tenant, default_tenant);
    EXPECT_EQ(none.id, asked);
    EXPECT_EQ(none.count, 0u);
    EXPECT_TRUE(none.last.empty());
  }
}

TEST_P(UpkeepContract, TalliesAddUpAndKeepTheNewestHits) {
  const domain::ExecutionId id = create(task().key("a")).id;
  const domain::ExecutionId other = create(task().key("b")).id;

  apply(RecordDuplicates{{tally(id, 15, 1, 15), tally(other, 1, 1, 1)}});
  EXPECT_EQ(describe(duplicates(id)), describe(tally(id, 15, 1, 15)));
  apply(RecordDuplicates{{tally(id, 1000, 16, 25), tally(id, 2, 26, 27)}});

  const std::string expected = describe(tally(id, 1017, 8, 27));
  EXPECT_EQ(describe(duplicates(id)), expected);
  EXPECT_EQ(duplicates(id).last.size(), duplicate_hits_kept);
  EXPECT_EQ(duplicates(other).count, 1u);
  reopen();
  EXPECT_EQ(describe(duplicates(id)), expected);
  apply(RecordDuplicates{{tally(id, 30, 28, 57)}});  // more than are kept, at once
  EXPECT_EQ(describe(duplicates(id)), describe(tally(id, 1047, 38, 57)));
}

TEST_P(UpkeepContract, TalliesOfUnknownExecutionsAreDropped) {
  const domain::ExecutionId unknown = ids_.execution();
  const domain::ExecutionId known = create(task()).id;
  DuplicateTally of_another_tenant = tally(known, 5, 1, 1);
  of_another_tenant.tenant = "globex";

  as<DuplicatesRecorded>(apply(RecordDuplicates{{tally(unknown, 3, 1, 3), of_another_tenant, tally(known, 1, 1, 1)}}));

  EXPECT_EQ(duplicates(unknown).count, 0u);
  EXPECT_EQ(duplicates(known).count, 1u);
  EXPECT_EQ(store().duplicates("globex", known).count, 0u);
}

TEST_P(UpkeepContract, TalliesOfTombstonesAreDropped) {
  const domain::ExecutionId id = create_in(State::completed, task().key("a"));
  ASSERT_EQ(remove(id), Removed::Kind::left_tombstone);

  apply(RecordDuplicates{{tally(id, 3, 1, 3)}});

  EXPECT_EQ(duplicates(id).count, 0u);
}

}  // namespace
}  // namespace semel::test
