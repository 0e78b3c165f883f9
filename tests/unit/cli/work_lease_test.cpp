#include "cli/work/lease.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/work/environment.hpp"
#include "cli/work/tail.hpp"

/// What a handler is told, and what it has said at last.
namespace semel::cli::work {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr const char* answer =
    R"({"leases":[{"attempt_id":"a1","task_uuid":"u1","task_id":"order \"1\"","handler":"ship","queue":"q","attempt":2,)"
    R"("context":{ "amount" : 1.00 },"lease_expires_at":"2026-01-20T12:00:00.000Z","effect_key":"u1",)"
    R"("dispatch_id":"dispatch:1","external_id":"d_1","labels":{"team":"a"},"traceparent":"00-1-2-01"}]})";

Lease first_lease() {
  const Result<std::vector<Lease>> leases = read_leases(answer);
  EXPECT_TRUE(leases && leases->size() == 1);
  return leases ? leases->front() : Lease{};
}

TEST(Leases, AreReadWithTheContextAsWritten) {
  const Lease lease = first_lease();

  EXPECT_EQ(lease.attempt_id, "a1");
  EXPECT_EQ(lease.task_id, "order \"1\"");
  EXPECT_EQ(lease.attempt, "2");
  EXPECT_EQ(lease.context, R"({ "amount" : 1.00 })");
  EXPECT_EQ(lease.labels, R"({"team":"a"})");
}

TEST(Leases, OfStepsHaveWhatTheirHandlersWorkOn) {
  const Lease step =
      read_leases(
          R"({"leases":[{"attempt_id":"a","context":{"n": 1.0},"upstream":{"x":{"status":"completed"}},"run_id":"r",)"
          R"("task_key":"mail[2]","item":{"id":7},"index":2}]})")
          ->front();

  EXPECT_EQ(envelope_of(step),
            R"({"context":{"n": 1.0},"upstream":{"x":{"status":"completed"}},"item":{"id":7},"index":2})");
  EXPECT_EQ(envelope_of(first_lease()), R"({"context":{ "amount" : 1.00 }})");
  EXPECT_THAT(handler_environment({}, step),
              testing::IsSupersetOf({"SEMEL_TASK_RUN_ID=r", "SEMEL_TASK_KEY=mail[2]", "SEMEL_TASK_INDEX=2"}));
}

TEST(Leases, MayBeNone) { EXPECT_TRUE(read_leases(R"({"leases":[]})")->empty()); }

TEST(Leases, OfSomeOtherServerAreNoticed) {
  for (const char* odd :
       {"", "<html>", "{}", R"({"leases":1})", R"({"leases":[{}]})", R"({"leases":[{"attempt_id":"a"}]})"}) {
    const auto leases = read_leases(odd);

    ASSERT_FALSE(leases) << odd;
    EXPECT_THAT(leases.error().message, HasSubstr("is this a Semel server?"));
  }
}

TEST(HandlerEnvironment, HasWhatTheWorkerHasAndWhatTheTaskIs) {
  const std::vector<std::string> own{"PATH=/bin", "SEMEL_KEY=k", "ODD"};

  const std::vector<std::string> variables = handler_environment(own, first_lease());

  EXPECT_THAT(
      variables,
      UnorderedElementsAre("PATH=/bin", "SEMEL_KEY=k", "ODD", "SEMEL_TASK_UUID=u1", "SEMEL_TASK_ID=order \"1\"",
                           "SEMEL_TASK_HANDLER=ship", "SEMEL_TASK_QUEUE=q", R"(SEMEL_TASK_LABELS={"team":"a"})",
                           "SEMEL_TASK_ATTEMPT=2", "SEMEL_TASK_ATTEMPT_ID=a1", "SEMEL_TASK_EFFECT_KEY=u1",
                           "SEMEL_TASK_DISPATCH_ID=dispatch:1", "SEMEL_TASK_EXTERNAL_ID=d_1", "TRACEPARENT=00-1-2-01"));
}

TEST(HandlerEnvironment, HasNothingOfATaskThatTheWorkerIsPartOf) {
  const std::vector<std::string> own{"SEMEL_TASK_UUID=outer", "SEMEL_TASK_OTHER=outer", "TRACEPARENT=outer"};
  Lease lease = first_lease();
  lease.traceparent.clear();

  const std::vector<std::string> variables = handler_environment(own, lease);

  EXPECT_THAT(variables, Each(Not(HasSubstr("outer"))));
  EXPECT_THAT(variables, Not(Contains(StartsWith("TRACEPARENT"))));
}

TEST(Variable, IsSetOnce) {
  std::vector<std::string> variables{"A=1", "AB=2", "A=3"};

  set_variable(variables, "A", "4");

  EXPECT_THAT(variables, UnorderedElementsAre("AB=2", "A=4"));
}

std::string tail_of(const std::vector<std::string>& pieces) {
  Tail tail;
  for (const std::string& piece : pieces) tail.add(piece);
  return tail.text();
}

TEST(Tail, IsAllOfAShortText) {
  EXPECT_EQ(tail_of({}), "");
  EXPECT_EQ(tail_of({"one\ntw", "o\n\r\n"}), "one\ntwo");
}

TEST(Tail, BeginsWithAWholeLine) {
  std::string all;
  for (int i = 0; i < 1'000; ++i) all += "line " + std::to_string(i) + "\n";

  const std::string text = tail_of({all});

  EXPECT_LE(text.size(), Tail::bytes_max);
  EXPECT_GT(text.size(), Tail::bytes_max - 20);
  EXPECT_THAT(text, StartsWith("line "));
  EXPECT_TRUE(text.ends_with("\nline 999"));
}

TEST(Tail, OfOneLongLineIsItsEnd) {
  std::string all;
  for (int i = 0; i < 3'000; ++i) all += "ä";

  const std::string text = tail_of({all, "x"});

  EXPECT_THAT(text, StartsWith("ä"));
  EXPECT_TRUE(text.ends_with("äx"));
  EXPECT_GT(text.size(), Tail::bytes_max - 3);
}

TEST(Tail, IsWellFormedWhateverWasWritten) { EXPECT_EQ(tail_of({"a\xFF", "b\xC3"}), "a\uFFFDb\uFFFD"); }

}  // namespace
}  // namespace semel::cli::work
