#include "domain/identity.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/unit/domain/domain_builders.hpp"

namespace semel::domain {
namespace {

using test::noon;
using test::payment;
using test::refusal_of;

IdentityRequest request_for(const Template* template_) {
  IdentityRequest request;
  request.tenant = "default";
  request.template_ = template_;
  request.queue = "billing";
  request.canonical_context = R"({"amount":100,"order":7})";
  request.now = noon;
  return request;
}

Hash32 hash_of(const IdentityRequest& request) { return identify(request).value().identity.hash; }

TEST(Identify, UsesTheKeyWhateverTheStrategy) {
  for (const Strategy strategy : {Strategy::strict, Strategy::caller_provided, Strategy::always_unique}) {
    const Template template_ = payment(strategy);
    IdentityRequest request = request_for(&template_);
    request.key = "order-1";

    const Result<Identified> identified = identify(request);

    ASSERT_TRUE(identified) << name_of(strategy);
    EXPECT_EQ(identified->identity.mode, Mode::key);
    EXPECT_EQ(identified->identity.strategy, strategy);
    EXPECT_EQ(identified->material, "order-1");
  }
}

TEST(Identify, GivesOneHashToOneKeyWhateverContextStrategyAndPeriod) {
  const Template strict = payment();
  Template other = payment(Strategy::always_unique);
  other.version = "9.0.0";
  IdentityRequest first = request_for(&strict);
  IdentityRequest second = request_for(&other);
  first.key = second.key = "order-1";
  second.canonical_context = "[]";
  second.queue = "elsewhere";

  EXPECT_EQ(hash_of(first), hash_of(second));
}

TEST(Identify, UsesTheContextOfAStrictTemplateWhichIsTheDefault) {
  Template template_ = payment();
  template_.identity = IdentitySettings{};

  const Result<Identified> identified = identify(request_for(&template_));

  ASSERT_TRUE(identified);
  EXPECT_EQ(identified->identity.mode, Mode::context);
  EXPECT_EQ(identified->identity.strategy, Strategy::strict);
  EXPECT_EQ(identified->identity.scope, Scope::template_);
  EXPECT_EQ(identified->identity.bucket, std::nullopt);
  EXPECT_EQ(identified->material, R"({"amount":100,"order":7})");
}

TEST(Identify, AsksForTheKeyOfACallerProvidedTemplateInTheWordsOfTheDesign) {
  const Template template_ = payment(Strategy::caller_provided);

  EXPECT_EQ(refusal_of(identify(request_for(&template_))),
            "idempotency_key is required when named task uses CallerProvided identity strategy");
}

TEST(Identify, ClaimsNothingForAnAlwaysUniqueTemplateWithoutAKey) {
  const Template template_ = payment(Strategy::always_unique);

  const Result<Identified> identified = identify(request_for(&template_));

  ASSERT_TRUE(identified);
  EXPECT_EQ(identified->identity.mode, Mode::none);
  EXPECT_EQ(identified->identity.strategy, Strategy::always_unique);
  EXPECT_EQ(identified->identity.hash, Hash32{});
  EXPECT_EQ(identified->material, "");
}

TEST(Identify, MakesAnAdHocTaskUniqueWithoutAKeyAndTenantWideWithOne) {
  IdentityRequest request = request_for(nullptr);

  EXPECT_EQ(identify(request).value().identity.mode, Mode::none);

  request.key = "order-1";
  const Identified keyed = identify(request).value();

  EXPECT_EQ(keyed.identity.mode, Mode::key);
  EXPECT_EQ(keyed.identity.scope, Scope::tenant);
  EXPECT_EQ(keyed.scope_value, "");
}

TEST(Identify, SharesTheTenantsKeySpaceBetweenAdHocTasksAndTemplatesScopedToTheTenant) {
  Template template_ = payment(Strategy::caller_provided);
  template_.identity.scope = Scope::tenant;
  IdentityRequest ad_hoc = request_for(nullptr);
  IdentityRequest named = request_for(&template_);
  ad_hoc.key = named.key = "order-1";

  EXPECT_EQ(hash_of(ad_hoc), hash_of(named));
}

TEST(IdentityHash, TakesAModeAsPartOfWhatItHashes) {
  const HashInput key{Mode::key, "t", Scope::tenant, "", "{}", std::nullopt};
  HashInput context = key;
  context.mode = Mode::context;

  EXPECT_NE(identity_hash(key), identity_hash(context));
}

// Computed with Python's hashlib, as script/lib/identity_vectors.py does.
TEST(IdentityHash, WritesLengthsOfMoreThanTwoBytes) {
  const std::string material(70'000, 'x');

  EXPECT_EQ(to_hex(identity_hash({Mode::key, "t", Scope::tenant, "", material, std::nullopt})),
            "b40419c4f4910df7989c26508b05254fdbf0aa61dcc8c4329423e35e776fd501");
}

TEST(IdentityHash, NeverLetsTwoInputsMeet) {
  const std::vector<HashInput> inputs{
      {Mode::key, "ab", Scope::queue, "c", "d", std::nullopt},
      {Mode::key, "a", Scope::queue, "bc", "d", std::nullopt},
      {Mode::key, "ab", Scope::queue, "", "cd", std::nullopt},
      {Mode::key, "abcd", Scope::queue, "", "", std::nullopt},
      {Mode::key, "", Scope::queue, "abc", "d", std::nullopt},
      {Mode::key, "a", Scope::tenant, "bc", "d", std::nullopt},
      {Mode::context, "a", Scope::queue, "bc", "d", std::nullopt},
      {Mode::key, "a", Scope::queue, "b", "c", 0},
      {Mode::key, "a", Scope::queue, "b", "c", 1},
      {Mode::key, "a", Scope::queue, "b", "c", std::nullopt},
      {Mode::key, "a", Scope::queue, "b", "c0", std::nullopt},
      {Mode::key, "a", Scope::template_, "b_version", "c", std::nullopt},
      {Mode::key, "a", Scope::template_version, "b", "c", std::nullopt},
      {Mode::key, "a", Scope::queue, std::string_view("\0\0\0\1b", 5), "c", std::nullopt},
      {Mode::key, "a", Scope::queue, "b", std::string_view("c\0\0\0\0", 5), std::nullopt},
  };

  std::set<Hash32> hashes;
  for (const HashInput& input : inputs) hashes.insert(identity_hash(input));

  EXPECT_EQ(hashes.size(), inputs.size());
}

TEST(ScopeValue, IsTheUuidTheVersionTheQueueOrNothing) {
  const Uuid uuid = named_task_uuid("default", "payments", "process_payment");
  const ScopeSubject subject{uuid, "1.0.0", "billing"};

  EXPECT_EQ(scope_value(Scope::tenant, subject), "");
  EXPECT_EQ(scope_value(Scope::queue, subject), "billing");
  EXPECT_EQ(scope_value(Scope::template_, subject), std::string(uuid.view()));
  EXPECT_EQ(scope_value(Scope::template_version, subject), std::string(uuid.view()) + "1.0.0");
}

struct ScopeRow {
  Scope scope;
  bool over_tenants;  // whether the same key meets when only this differs
  bool over_queues;
  bool over_versions;
  bool over_templates;
};

TEST(Scope, DecidesWhatTellsTwoEqualKeysApart) {
  const std::vector<ScopeRow> rows{
      {Scope::tenant, false, true, true, true},
      {Scope::queue, false, false, true, true},
      {Scope::template_, false, true, true, false},
      {Scope::template_version, false, true, false, false},
  };
  for (const ScopeRow& row : rows) {
    Template here = payment();
    here.identity.scope = row.scope;
    Template newer = here;
    newer.version = "2.0.0";
    Template other = here;
    other.name = "refund";
    IdentityRequest base = request_for(&here);
    base.key = "order-1";
    IdentityRequest tenant = base;
    tenant.tenant = "acme";
    IdentityRequest queue = base;
    queue.queue = "elsewhere";
    IdentityRequest version = base;
    version.template_ = &newer;
    IdentityRequest named = base;
    named.template_ = &other;

    EXPECT_EQ(hash_of(base) == hash_of(tenant), row.over_tenants) << name_of(row.scope);
    EXPECT_EQ(hash_of(base) == hash_of(queue), row.over_queues) << name_of(row.scope);
    EXPECT_EQ(hash_of(base) == hash_of(version), row.over_versions) << name_of(row.scope);
    EXPECT_EQ(hash_of(base) == hash_of(named), row.over_templates) << name_of(row.scope);
  }
}

TEST(Mode, KeepsItsNumbersAndNames) {
  const std::array modes{Mode::none, Mode::key, Mode::context};
  const std::array<std::string_view, 3> names{"none", "key", "context"};

  for (std::size_t i = 0; i < modes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(modes[i]), i);
    EXPECT_EQ(name_of(modes[i]), names[i]);
  }
}

}  // namespace
}  // namespace semel::domain
