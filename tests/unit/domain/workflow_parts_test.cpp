#include <gtest/gtest.h>

#include <set>

#include "domain/workflow/check_steps.hpp"
#include "domain/workflow/condition.hpp"
#include "domain/workflow/facts.hpp"
#include "domain/workflow/graph_view.hpp"
#include "domain/workflow/key_template.hpp"
#include "domain/workflow/step_id.hpp"
#include "domain/workflow/steps_text.hpp"
#include "tests/support/steps.hpp"

// What runs are made of, each by itself.
namespace semel::domain {
namespace {

using semel::test::graph_of;
using Builder = semel::test::StepBuilder;

bool fulfilled(Comparison comparison, std::string_view value, std::optional<std::string_view> found) {
  Condition condition;
  condition.comparison = comparison;
  condition.value = json::canonicalize(value).value();
  if (!found) return holds(condition, std::nullopt);
  return holds(condition, json::canonicalize(*found).value());
}

TEST(Condition, ComparesNumbersByTheirExactValue) {
  using enum Comparison;
  EXPECT_TRUE(fulfilled(equals, "100", "1e2"));
  EXPECT_FALSE(fulfilled(equals, "9007199254740993", "9007199254740992"));
  EXPECT_TRUE(fulfilled(greater_than, "9007199254740992", "9007199254740993"));
  EXPECT_TRUE(fulfilled(less_than, "0.1", "0.09999999999999999999999999"));
  EXPECT_TRUE(fulfilled(less_than, "1e400", "9e399"));
  EXPECT_TRUE(fulfilled(less_than, "-1", "-1.5"));
  EXPECT_FALSE(fulfilled(less_than, "-1.5", "-1"));
  EXPECT_TRUE(fulfilled(less_than, "0", "-1e-9"));
  EXPECT_TRUE(fulfilled(at_most, "1.50", "1.5"));
  EXPECT_TRUE(fulfilled(at_least, "1.50", "1.5"));
  EXPECT_TRUE(fulfilled(at_least, "12", "120"));
  EXPECT_FALSE(fulfilled(greater_than, "0", "-0.0"));
}

TEST(Condition, OrdersTextsAndNothingElse) {
  using enum Comparison;
  EXPECT_TRUE(fulfilled(less_than, R"("2026-02")", R"("2026-01-31")"));
  EXPECT_TRUE(fulfilled(at_least, R"("a")", R"("\u0061")"));
  EXPECT_FALSE(fulfilled(less_than, "5", R"("4")"));
  EXPECT_FALSE(fulfilled(at_least, "5", R"("6")"));
  EXPECT_FALSE(fulfilled(at_most, "5", "null"));
  EXPECT_FALSE(fulfilled(at_least, "5", "[6]"));
}

TEST(Condition, ComparesWholeValues) {
  using enum Comparison;
  EXPECT_TRUE(fulfilled(equals, R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1})"));
  EXPECT_TRUE(fulfilled(not_equals, "1", R"("1")"));
  EXPECT_TRUE(fulfilled(in, R"([1, "x", null])", "null"));
  EXPECT_TRUE(fulfilled(in, R"([1, "x", null])", "1.0"));
  EXPECT_FALSE(fulfilled(in, R"([1, "x", null])", "[1]"));
}

TEST(Condition, TakesWhatIsNotThereAsEqualToNothing) {
  using enum Comparison;
  EXPECT_FALSE(fulfilled(equals, "null", std::nullopt));
  EXPECT_TRUE(fulfilled(not_equals, "null", std::nullopt));
  EXPECT_FALSE(fulfilled(in, "[null]", std::nullopt));
  EXPECT_FALSE(fulfilled(at_most, "0", std::nullopt));
  EXPECT_TRUE(fulfilled(exists, "false", std::nullopt));
  EXPECT_FALSE(fulfilled(exists, "true", std::nullopt));
  EXPECT_TRUE(fulfilled(exists, "true", "null"));
  EXPECT_FALSE(fulfilled(exists, "false", "null"));
}

std::string filled_in(std::string_view text, std::string_view context) {
  const Result<std::string> key = KeyTemplate::parse(text).value().fill_in({context, R"({"id":5})", 3});
  return key ? *key : "refused: " + key.error().message;
}

TEST(KeyTemplate, FillsInTextsNumbersAndBooleans) {
  EXPECT_EQ(filled_in("no places", "{}"), "no places");
  EXPECT_EQ(filled_in("{{/a}}{{/b/0}}", R"({"a":"ü\n\"","b":[1.5]})"),
            "refused: the key must not contain control characters");
  EXPECT_EQ(filled_in("p-{{/a}}-{{/b/0}}-{{/c}}", R"({"a":"ü\"","b":[1.5],"c":true})"), "p-ü\"-1.5-true");
  EXPECT_EQ(filled_in("{{item/id}}/{{index}}", "{}"), "5/3");
  EXPECT_EQ(filled_in("a}}b{c}", "{}"), "a}}b{c}");
}

TEST(KeyTemplate, RefusesValuesThatMakeNoKey) {
  EXPECT_EQ(filled_in("{{/a}}", "{}"), "refused: {{/a}} leads to nothing");
  EXPECT_EQ(filled_in("{{/a}}", R"({"a":null})"), "refused: {{/a}} is no text, number or boolean");
  EXPECT_EQ(filled_in("{{item}}", "{}"), "refused: {{item}} is no text, number or boolean");
  EXPECT_EQ(filled_in("{{/a}}", R"({"a":""})"), "refused: the key must not be empty; leave it out to send none");
  EXPECT_EQ(filled_in("{{/a}}", "{\"a\":\"" + std::string(256, 'x') + "\"}"),
            "refused: the key is 256 bytes long; at most 255 are allowed");
}

TEST(StepId, IsTheSameForOneKeyAndDifferentForAllOthers) {
  const ExecutionId run = ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc").value();
  const ExecutionId other = ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fd").value();

  const std::set<ExecutionId> ids{step_execution_id(run, "a"), step_execution_id(run, "b"),
                                  step_execution_id(run, task_key("a", 0)), step_execution_id(run, task_key("a", 1)),
                                  step_execution_id(other, "a")};

  EXPECT_EQ(ids.size(), 5u);
  EXPECT_EQ(step_execution_id(run, "a").text(), "019bddae-b818-8212-bda8-7bd70794e68d");
  EXPECT_EQ(step_execution_id(run, "a").uuid.version(), 8);
  EXPECT_TRUE(step_execution_id(run, "a").uuid.is_rfc_variant());
  EXPECT_EQ(task_key("mail", 17), "mail[17]");
}

TEST(FactsText, ReadsBackAllStates) {
  RunFacts facts;
  for (const StepState state : all_step_states) {
    facts.steps.push_back({state, false, {}});
    facts.steps.push_back({state, true, {}});
  }
  facts.steps[3].items = {ItemState::held,   ItemState::held,      ItemState::scheduled, ItemState::completed,
                          ItemState::failed, ItemState::timed_out, ItemState::cancelled, ItemState::held_again};
  for (const RunPhase phase : {RunPhase::open, RunPhase::cancelling, RunPhase::out_of_time, RunPhase::closed}) {
    facts.phase = phase;

    EXPECT_EQ(decode_facts(encode_facts(facts)), facts) << encode_facts(facts);
  }
  facts.phase = RunPhase::open;
  EXPECT_EQ(encode_facts(facts), "owWsSbBcCrRfFtTxXkKuUdDnN;3:2h1s1c1f1t1x1a");
}

TEST(FactsText, RefusesWhatItNeverWrites) {
  for (const std::string text :
       {"", "z", "o?", "oS;", "oS;0", "oS;0:", "oS;1:1s", "oS;0:0s", "oS;0:1", "oS;0:1s1s", "oS;0:1z", "oS;0:01s",
        "oS;0:1s;0:1s", "oS;0:10001s", "oS;0:99999999999999999999s", "oS;0:9999s2h", "oS;-1:1s", "oS 0:1s"})
    EXPECT_FALSE(decode_facts(text)) << text;
}

TEST(StepStates, AreClosedInOneOfThreeWays) {
  for (const StepState state : all_step_states) {
    const int ways = has_succeeded(state) + has_not_succeeded(state) + (state == StepState::skipped);

    EXPECT_EQ(ways, is_closed(state) ? 1 : 0) << shown_state(state);
  }
}

TEST(GraphView, ShowsStepsAndTheirStates) {
  const Graph graph =
      graph_of({Builder("list"), Builder("mail", {"list"}).for_each("list", ""), Builder("end", {"list", "mail"})});
  const RunFacts facts{RunPhase::open,
                       {{StepState::resolved, false, {}},
                        {StepState::scheduled, true, {ItemState::completed, ItemState::scheduled, ItemState::held}},
                        {StepState::waiting, false, {}}}};

  EXPECT_EQ(graph_json(graph, &facts),
            R"({"steps":[{"name":"list","handler":"do_list","depends_on":[],"status":"completed","reason":"resolved"},)"
            R"({"name":"mail","handler":"do_mail","depends_on":["list"],"status":"scheduled",)"
            R"("items":{"total":3,"waiting":1,"scheduled":1,"completed":1}},)"
            R"({"name":"end","handler":"do_end","depends_on":["list","mail"],"status":"waiting"}]})");
  EXPECT_EQ(graph_mermaid(graph, &facts),
            "flowchart TD\n"
            "  s0[\"list<br/>completed\"]\n"
            "  s1[\"mail × each<br/>scheduled 1/3\"]\n"
            "  s2[\"end<br/>waiting\"]\n"
            "  s0 --> s1\n"
            "  s0 --> s2\n"
            "  s1 --> s2\n");
}

TEST(GraphView, ShowsATemplateWithoutStates) {
  const Graph graph = graph_of({Builder("a"), Builder("b", {"a"})});

  EXPECT_EQ(graph_json(graph), R"({"steps":[{"name":"a","handler":"do_a","depends_on":[]},)"
                               R"({"name":"b","handler":"do_b","depends_on":["a"]}]})");
  EXPECT_EQ(graph_mermaid(graph), "flowchart TD\n  s0[\"a\"]\n  s1[\"b\"]\n  s0 --> s1\n");
}

TEST(StepsText, ReadsBackAllFields) {
  Step full = Builder("mail", {"list", "other"})
                  .on_failure(OnUpstreamFailure::block)
                  .key("k-{{/a~1b}}-{{index}}")
                  .when("list", "/a", Comparison::in, R"([1.50, "x", null])")
                  .when("", "", Comparison::exists, "true")
                  .for_each("list", "/a/0", 7, Join::settled);
  full.queue = "mails";
  full.timeout = 90s;
  full.retry = {5, Backoff::fibonacci, 250ms, 2h, 0};
  const std::vector<Step> steps{Builder("list"), Builder("other"), full};

  const std::string text = encode_steps(steps);

  EXPECT_EQ(decode_steps(text), steps) << text;
  EXPECT_EQ(encode_steps(std::vector<Step>{Builder("a"), Builder("b", {"a"})}),
            R"([{"name":"a","handler":"do_a","queue":"default"},)"
            R"({"name":"b","handler":"do_b","queue":"default","depends_on":["a"]}])");
}

TEST(StepsText, RefusesWhatItNeverWrites) {
  for (const std::string text :
       {"", "{}", "[", "[] 1", R"([{"name":1}])", R"([{"nam":"a"}])", R"([{"name":"a","depends_on":["b"]}])",
        R"([{"name":"a"},{"name":"a"}])", R"([{"name":"a","on_upstream_failure":3}])",
        R"([{"name":"a","on_upstream_failure":-1}])", R"([{"name":"a","key":"{{"}])", R"([{"name":"a","when":{}}])",
        R"([{"name":"a","when":[{"is":8}]}])", R"([{"name":"a","when":[{"path":"x"}]}])",
        R"([{"name":"a","for_each":{"join":2}}])", R"([{"name":"a","retry":{"backoff":4}}])",
        R"([{"name":"a","retry":{"x":4}}])", R"([{"name":"a","timeout":"1s"}])"})
    EXPECT_FALSE(decode_steps(text)) << text;
}

TEST(FindFault, ShortensALongCircle) {
  std::vector<Step> steps;
  for (int i = 0; i < 30; ++i) steps.push_back(Builder("s" + std::to_string(i), {"s" + std::to_string((i + 29) % 30)}));

  EXPECT_EQ(find_fault(steps)->what,
            "the steps go round in a circle: s0 → s1 → s2 → s3 → s4 → s5 → s6 → s7 → s8 → … → s0; take one of "
            "them out of the next one's depends_on");
}

}  // namespace
}  // namespace semel::domain
