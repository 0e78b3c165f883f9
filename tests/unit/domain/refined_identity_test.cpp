#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/identity.hpp"
#include "tests/unit/domain/domain_builders.hpp"

/// identity.fields, identity.ignore and identity.period, which refine the strategy strict.
namespace semel::domain {
namespace {

using test::noon;
using test::payment;
using test::pointers;
using test::refusal_of;

Template with_fields(const std::vector<std::string>& fields) {
  Template template_ = payment();
  template_.identity.fields = pointers(fields);
  return template_;
}

Template with_ignore(const std::vector<std::string>& ignore) {
  Template template_ = payment();
  template_.identity.ignore = pointers(ignore);
  return template_;
}

Template with_period(Duration period) {
  Template template_ = payment();
  template_.identity.period = period;
  return template_;
}

Result<Identified> identify_context(const Template& template_, std::string_view canonical) {
  IdentityRequest request;
  request.tenant = "default";
  request.template_ = &template_;
  request.canonical_context = canonical;
  request.now = noon;
  return identify(request);
}

std::string material_of(const Template& template_, std::string_view canonical) {
  const Result<Identified> identified = identify_context(template_, canonical);
  return identified ? identified->material : "refused: " + identified.error().message;
}

/// The bucket of a request, or the refusal in words.
std::string bucket_of(Duration period, std::optional<Time> requested_at, Time now) {
  const Template template_ = with_period(period);
  IdentityRequest request;
  request.template_ = &template_;
  request.canonical_context = "{}";
  request.requested_at = requested_at;
  request.now = now;
  const Result<Identified> identified = identify(request);
  if (!identified) return "refused: " + identified.error().message;
  return std::to_string(identified->identity.bucket.value());
}

TEST(IdentityFields, AreTheirPointersAsWrittenWithoutAbsentOnes) {
  const std::string context = R"({"at":"noon","order":{"id":7,"lines":[{"sku":"a"},{"sku":"b"}]}})";

  EXPECT_EQ(material_of(with_fields({"/order/id"}), context), R"({"/order/id":7})");
  EXPECT_EQ(material_of(with_fields({"/order/lines/1/sku", "/at"}), context),
            R"({"/at":"noon","/order/lines/1/sku":"b"})");
  EXPECT_EQ(material_of(with_fields({"/missing"}), context), "{}");
  EXPECT_EQ(material_of(with_fields({"/order"}), context), R"({"/order":{"id":7,"lines":[{"sku":"a"},{"sku":"b"}]}})");
  EXPECT_EQ(material_of(with_fields({""}), "[1]"), R"({"":[1]})");
}

TEST(IdentityFields, TellAnAbsentValueFromNull) {
  EXPECT_NE(material_of(with_fields({"/a"}), R"({"a":null})"), material_of(with_fields({"/a"}), "{}"));
}

TEST(IdentityIgnore, LeavesOutItsPointers) {
  const std::string context = R"({"at":"noon","order":{"id":7,"note":"x"}})";

  EXPECT_EQ(material_of(with_ignore({"/at"}), context), R"({"order":{"id":7,"note":"x"}})");
  EXPECT_EQ(material_of(with_ignore({"/at", "/order/note"}), context), R"({"order":{"id":7}})");
  EXPECT_EQ(material_of(with_ignore({"/missing/deep"}), context), context);
  EXPECT_EQ(material_of(with_ignore({"/order"}), context), R"({"at":"noon"})");
}

TEST(IdentityIgnore, RefusesToPointIntoAnArray) {
  EXPECT_NE(refusal_of(identify_context(with_ignore({"/lines/0"}), R"({"lines":[1,2]})")), "");
  EXPECT_NE(refusal_of(identify_context(with_ignore({"/lines/0/at"}), R"({"lines":[{"at":1}]})")), "");
}

TEST(IdentityPeriod, StartsANewBucketAtTheExactMillisecond) {
  EXPECT_EQ(bucket_of(1h, std::nullopt, noon - 1ms), "1768906800");
  EXPECT_EQ(bucket_of(1h, std::nullopt, noon), "1768910400");
  EXPECT_EQ(bucket_of(1h, std::nullopt, noon + 1h - 1ms), "1768910400");
  EXPECT_EQ(bucket_of(1h, std::nullopt, noon + 1h), "1768914000");
}

TEST(IdentityPeriod, CountsBucketsFromTheEpochWhateverTheirLength) {
  EXPECT_EQ(bucket_of(1s, std::nullopt, from_ms(1999)), "1");
  EXPECT_EQ(bucket_of(7s, std::nullopt, from_ms(13'999)), "7");
  EXPECT_EQ(bucket_of(7s, std::nullopt, from_ms(14'000)), "14");
  EXPECT_EQ(bucket_of(24h, std::nullopt, noon), "1768867200");
  EXPECT_EQ(bucket_of(1h, std::nullopt, from_ms(0)), "0");
}

TEST(IdentityPeriod, GoesByRequestedAtSoThatARetryStaysInItsBucket) {
  EXPECT_EQ(bucket_of(1h, noon - 1ms, noon + 4min), "1768906800");
  EXPECT_EQ(bucket_of(1h, noon + 1ms, noon - 4min), "1768910400");
}

TEST(IdentityPeriod, TakesRequestedAtUpToFiveMinutesOff) {
  EXPECT_EQ(bucket_of(1h, noon - 5min, noon), "1768906800");
  EXPECT_EQ(bucket_of(1h, noon + 5min, noon), "1768910400");
  EXPECT_EQ(bucket_of(1h, noon - 5min - 1ms, noon),
            "refused: requested_at is 300001ms away from the server's time; at most 5m are allowed");
  EXPECT_EQ(bucket_of(1h, noon + 5min + 1ms, noon),
            "refused: requested_at is 300001ms away from the server's time; at most 5m are allowed");
}

TEST(IdentityPeriod, TellsTwoBucketsApartInTheHash) {
  const Template template_ = with_period(1h);
  IdentityRequest request;
  request.template_ = &template_;
  request.canonical_context = "{}";
  request.now = noon;
  const Hash32 first = identify(request)->identity.hash;

  request.now = noon + 1h - 1ms;
  EXPECT_EQ(identify(request)->identity.hash, first);

  request.now = noon + 1h;
  EXPECT_NE(identify(request)->identity.hash, first);
}

TEST(IdentityPeriod, NeverJoinsAKey) {
  const Template template_ = with_period(1h);
  const Template without = payment();
  IdentityRequest request;
  request.template_ = &template_;
  request.key = "order-1";
  request.now = noon;
  request.requested_at = noon - 24h;  // not looked at, because there is no bucket

  const Result<Identified> identified = identify(request);

  ASSERT_TRUE(identified);
  EXPECT_EQ(identified->identity.bucket, std::nullopt);
  request.template_ = &without;
  EXPECT_EQ(identify(request)->identity.hash, identified->identity.hash);
}

std::vector<std::string> differing(const std::string& left, const std::string& right, const Template* template_,
                                   std::size_t max = 50) {
  return differing_pointers(left, right, template_ != nullptr ? &template_->identity : nullptr, max);
}

using Texts = std::vector<std::string>;

TEST(DifferingPointers, NamesEveryPlaceWithoutSettings) {
  const Template plain = payment();
  const std::string left = R"({"a":1,"b":{"c":[1,2]},"d":0})";
  const std::string right = R"({"a":2,"b":{"c":[1,3]},"e":0})";

  EXPECT_EQ(differing(left, right, nullptr), (Texts{"/a", "/b/c/1", "/d", "/e"}));
  EXPECT_EQ(differing(left, right, &plain), (Texts{"/a", "/b/c/1", "/d", "/e"}));
  EXPECT_EQ(differing(left, left, nullptr), Texts{});
}

TEST(DifferingPointers, LooksOnlyWhereFieldsPoint) {
  const Template template_ = with_fields({"/order", "/user"});

  EXPECT_EQ(differing(R"({"at":1,"order":{"id":1,"n":2}})", R"({"at":2,"order":{"id":1,"n":3}})", &template_),
            (Texts{"/order/n"}));
  EXPECT_EQ(differing(R"({"order":1})", R"({"order":1,"user":null})", &template_), (Texts{"/user"}));
  EXPECT_EQ(differing(R"({"at":1})", R"({"at":2})", &template_), Texts{});
}

TEST(DifferingPointers, DoesNotLookAtWhatIsIgnored) {
  const Template template_ = with_ignore({"/at", "/order/note"});

  EXPECT_EQ(differing(R"({"at":1,"order":{"id":1,"note":"x"}})", R"({"at":2,"order":{"id":2,"note":"y"}})", &template_),
            (Texts{"/order/id"}));
}

TEST(DifferingPointers, NamesAtMostAsManyAsAsked) {
  const Template fields = with_fields({"/a", "/b", "/c"});
  const std::string left = R"({"a":1,"b":1,"c":1})";
  const std::string right = R"({"a":2,"b":2,"c":2})";

  EXPECT_EQ(differing(left, right, nullptr, 2), (Texts{"/a", "/b"}));
  EXPECT_EQ(differing(left, right, &fields, 2), (Texts{"/a", "/b"}));
  EXPECT_EQ(differing(left, right, &fields, 0), Texts{});
}

TEST(DifferingPointers, NamesAPlaceOnceWhereFieldsOverlap) {
  const Template template_ = with_fields({"/order", "/order/id"});

  EXPECT_EQ(differing(R"({"order":{"id":1}})", R"({"order":{"id":2}})", &template_), (Texts{"/order/id"}));
}

TEST(DifferingPointers, NamesTheWholeWhenTheTypesDiffer) { EXPECT_EQ(differing("{}", "[]", nullptr), (Texts{""})); }

}  // namespace
}  // namespace semel::domain
