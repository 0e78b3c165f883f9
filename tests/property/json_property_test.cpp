#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/json/canonical.hpp"
#include "base/json/diff.hpp"
#include "base/json/pointer.hpp"
#include "base/json/reader.hpp"
#include "base/json/text.hpp"
#include "tests/property/json_model.hpp"

namespace semel::json {
namespace {

constexpr int rounds = 30;  // a seed; each draws new values

std::string canonical(const std::string& text) {
  const Result<std::string> result = canonicalize(text);
  if (!result) RC_FAIL(result.error().message + ": " + text);
  return *result;
}

int sign(int order) { return (order > 0) - (order < 0); }

RC_GTEST_PROP(JsonProperty, CanonicalFormIsItsOwnCanonicalForm, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const std::string once = canonical(speller.spell(speller.any_value(5)));
    RC_ASSERT(canonical(once) == once);
  }
}

RC_GTEST_PROP(JsonProperty, OrderOfKeysWhiteSpaceAndSpellingDoNotMatter, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const Model value = speller.any_value(5);
    RC_ASSERT(canonical(speller.spell(value)) == canonical(speller.spell(value)));
  }
}

RC_GTEST_PROP(JsonProperty, TwoValuesShareACanonicalFormExactlyWhenTheyAreEqual, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {  // scalars and small containers: often equal
    const Model left = speller.any_value(i % 3);
    const Model right = speller.any_value(i % 3);
    const bool same = canonical(speller.spell(left)) == canonical(speller.spell(right));
    RC_ASSERT(same == (left == right));
  }
}

RC_GTEST_PROP(JsonProperty, ChangingOneDigitChangesTheCanonicalForm, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const Model before = speller.any_number();
    if (before.digits.empty()) continue;
    Model after = before;
    after.digits[0] = after.digits[0] == '9' ? '1' : static_cast<char>(after.digits[0] + 1);
    RC_ASSERT(canonical(speller.spell(before)) != canonical(speller.spell(after)));
  }
}

RC_GTEST_PROP(JsonProperty, KeysAreOrderedAsTheirUtf16IsOrdered, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const std::u32string left = speller.any_string(3);
    const std::u32string right = speller.any_string(3);
    const int order = to_utf16(left).compare(to_utf16(right));
    RC_ASSERT(sign(compare_utf16(to_utf8(left), to_utf8(right))) == sign(order));
  }
}

RC_GTEST_PROP(JsonProperty, TheReaderAgreesWithCanonicalize, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const std::string text = speller.spell(speller.any_value(5));
    std::string appended;
    Reader reader(text);
    const Result<std::string_view> raw = reader.read_canonical(appended);
    RC_ASSERT(raw.has_value());
    RC_ASSERT(reader.expect_end().has_value());
    RC_ASSERT(appended == canonical(text));
    RC_ASSERT(*raw == Reader(text).read_raw().value());
    RC_ASSERT(check_grammar(text).has_value());
  }
}

RC_GTEST_PROP(JsonProperty, ADamagedTextIsRefusedOrStable, (std::uint32_t seed, std::uint32_t place, char byte)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    std::string text = speller.spell(speller.any_value(4));
    text[place % text.size()] = byte;
    const Result<std::string> once = canonicalize(text);
    if (!once) continue;
    RC_ASSERT(check_grammar(text).has_value());
    RC_ASSERT(canonical(*once) == *once);
  }
}

RC_GTEST_PROP(JsonProperty, DiffNamesPlacesThatDifferAndOnlyEqualValuesHaveNone, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const std::string left = canonical(speller.spell(speller.any_value(3)));
    const std::string right = canonical(speller.spell(speller.any_value(3)));
    const std::vector<std::string> places = diff(left, right, 1000);
    RC_ASSERT(places.empty() == (left == right));
    for (const std::string& place : places) {
      const Pointer pointer = Pointer::parse(place).value();
      RC_ASSERT(find(left, pointer) != find(right, pointer));
    }
  }
}

RC_GTEST_PROP(JsonProperty, WhatIsRemovedIsGoneAndTheRestStays, (std::uint32_t seed)) {
  Speller speller(seed);
  for (int i = 0; i < rounds; ++i) {
    const std::string before = canonical(speller.spell(speller.any_object()));
    const std::string other = canonical(speller.spell(speller.any_object()));
    std::vector<Pointer> pointers;
    for (const std::string& place : diff(before, other, 3)) pointers.push_back(Pointer::parse(place).value());
    const Result<std::string> after = remove(before, pointers);
    if (!after) continue;  // an element of an array
    RC_ASSERT(canonical(*after) == *after);
    for (const Pointer& pointer : pointers) RC_ASSERT(!find(*after, pointer).has_value());
    for (const std::string& place : diff(before, *after, 1000)) {
      RC_ASSERT(std::count(pointers.begin(), pointers.end(), Pointer::parse(place).value()) == 1);
    }
  }
}

}  // namespace
}  // namespace semel::json
