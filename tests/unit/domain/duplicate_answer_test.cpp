#include <gtest/gtest.h>

#include <string>

#include "domain/holder.hpp"

namespace semel::domain {
namespace {

const Uuid charge = Uuid::v5(uuid_namespace_dns(), "charge");
const Uuid refund = Uuid::v5(uuid_namespace_dns(), "refund");
const Hash32 same_payload{1};
const Hash32 another_payload{2};

std::string word(DuplicateAnswer answer) {
  switch (answer) {
    case DuplicateAnswer::opaque: return "opaque";
    case DuplicateAnswer::other_subject: return "other_subject";
    case DuplicateAnswer::other_payload: return "other_payload";
    case DuplicateAnswer::describe: return "describe";
    case DuplicateAnswer::return_existing: return "return_existing";
  }
  return "?";
}

Holder holder_with(std::optional<Uuid> named_task, std::string handler, Kind kind = Kind::task) {
  Holder holder;
  holder.kind = kind;
  holder.named_task = named_task;
  holder.handler = std::move(handler);
  holder.fingerprint = same_payload;
  return holder;
}

Claimant claimant_of(const Holder& holder) {
  Claimant claimant;
  claimant.kind = holder.kind;
  claimant.named_task = holder.named_task;
  claimant.handler = holder.handler;
  claimant.fingerprint = holder.fingerprint;
  return claimant;
}

// DESIGN §3.5, points 2 to 5, in their order.
std::string expected(bool may_read, bool same_subject, bool same_content, OnMismatch on_mismatch,
                     OnDuplicate on_duplicate) {
  if (!may_read) return "opaque";
  if (!same_subject) return "other_subject";
  if (!same_content && on_mismatch == OnMismatch::reject) return "other_payload";
  if (on_duplicate == OnDuplicate::describe) return "describe";
  if (on_duplicate == OnDuplicate::return_existing) return "return_existing";
  return "opaque";
}

TEST(AnswerDuplicate, FollowsTheOrderOfTheDesignInEveryCombination) {
  const Holder holder = holder_with(std::nullopt, "charge_card");
  for (int bits = 0; bits < 16; ++bits) {
    const bool may_read = (bits & 1) != 0;
    const bool same_subject = (bits & 2) != 0;
    const bool same_content = (bits & 4) != 0;
    for (const OnDuplicate on_duplicate : {OnDuplicate::reject, OnDuplicate::describe, OnDuplicate::return_existing}) {
      Claimant claimant = claimant_of(holder);
      if (!same_subject) claimant.handler = "refund";
      if (!same_content) claimant.fingerprint = another_payload;
      claimant.on_payload_mismatch = (bits & 8) != 0 ? OnMismatch::ignore : OnMismatch::reject;
      claimant.on_duplicate = on_duplicate;

      const DuplicateAnswer answer = answer_duplicate(holder, claimant, may_read);

      EXPECT_EQ(word(answer),
                expected(may_read, same_subject, same_content, claimant.on_payload_mismatch, on_duplicate))
          << "may_read " << may_read << ", same subject " << same_subject << ", same content " << same_content
          << ", on_payload_mismatch " << name_of(claimant.on_payload_mismatch) << ", " << name_of(on_duplicate);
    }
  }
}

TEST(AnswerDuplicate, TellsSubjectsApartByKindNamedTaskAndHandler) {
  struct Case {
    std::string what;
    Holder holder;
    Holder claims;
    bool same;
  };
  const std::vector<Case> cases{
      {"same handler", holder_with({}, "a"), holder_with({}, "a"), true},
      {"another handler", holder_with({}, "a"), holder_with({}, "b"), false},
      {"same template", holder_with(charge, "a"), holder_with(charge, "a"), true},
      {"same template whose handler was renamed", holder_with(charge, "a"), holder_with(charge, "b"), true},
      {"another template with the same handler", holder_with(charge, "a"), holder_with(refund, "a"), false},
      {"a template and an ad-hoc task", holder_with(charge, "a"), holder_with({}, "a"), false},
      {"an ad-hoc task and a template", holder_with({}, "a"), holder_with(charge, "a"), false},
      {"another kind", holder_with({}, "a"), holder_with({}, "a", Kind::workflow), false},
      {"another kind of one template", holder_with(charge, "a"), holder_with(charge, "a", Kind::workflow), false},
  };

  for (const Case& each : cases) {
    Claimant claimant = claimant_of(each.claims);
    claimant.on_duplicate = OnDuplicate::describe;

    EXPECT_EQ(word(answer_duplicate(each.holder, claimant, true)), each.same ? "describe" : "other_subject")
        << each.what;
    EXPECT_EQ(word(answer_same_id(each.holder, claimant, true)), each.same ? "return_existing" : "other_payload")
        << each.what;
  }
}

TEST(AnswerSameId, ReturnsTheExecutionOnlyForTheSameContentToThoseWhoMayRead) {
  const Holder holder = holder_with(charge, "charge_card");
  Claimant same = claimant_of(holder);
  Claimant other = same;
  other.fingerprint = another_payload;
  other.on_payload_mismatch = OnMismatch::ignore;  // changes nothing: an id means one content

  EXPECT_EQ(word(answer_same_id(holder, same, true)), "return_existing");
  EXPECT_EQ(word(answer_same_id(holder, other, true)), "other_payload");
  EXPECT_EQ(word(answer_same_id(holder, same, false)), "opaque");
  EXPECT_EQ(word(answer_same_id(holder, other, false)), "opaque");
}

TEST(AnswerSameId, DoesNotAskHowDuplicatesAreAnswered) {
  const Holder holder = holder_with(charge, "charge_card");
  for (const OnDuplicate on_duplicate : {OnDuplicate::reject, OnDuplicate::describe, OnDuplicate::return_existing}) {
    Claimant claimant = claimant_of(holder);
    claimant.on_duplicate = on_duplicate;

    EXPECT_EQ(word(answer_same_id(holder, claimant, true)), "return_existing") << name_of(on_duplicate);
  }
}

}  // namespace
}  // namespace semel::domain
