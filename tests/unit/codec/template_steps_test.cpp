#include <gtest/gtest.h>

#include "tests/unit/codec/case.hpp"
#include "tests/unit/codec/templates.hpp"

namespace semel::codec {
namespace {

using domain::Comparison;
using domain::Step;
using domain::Template;
using test::Case;
using test::head;
using test::refused_yaml;
using test::yaml;

/// A template with the steps, from line 5 on.
std::string with_steps(const std::string& steps) { return head + "steps:\n" + steps; }

TEST(DecodeSteps, ReadsAllFields) {
  const Template template_ = yaml(head + R"(queue: shop
timeout: 5m
retry: {base: 2s, max_attempts: 7}
steps:
  - name: list
    handler: list_users
  - name: mail
    handler: {callable: Mailer.send}
    depends_on: [list]
    queue: mails
    retry: {backoff: fixed, max_attempts: 2}
    timeout: 30s
    idempotency_key: "mail-{{/campaign}}-{{item/id}}"
    on_upstream_failure: block
    when:
      - {path: /send, equals: true}
      - {step: list, path: /users/0, exists: true}
    for_each: {step: list, path: /users, max_parallel: 10, join: settled}
)");

  ASSERT_EQ(template_.steps.size(), 2u);
  const Step& list = template_.steps[0];
  EXPECT_EQ(list.queue, "shop");
  EXPECT_EQ(list.timeout, 5min);
  EXPECT_EQ(list.retry, (domain::RetrySettings{.max_attempts = 7, .base = 2s}));
  EXPECT_EQ(list.on_upstream_failure, domain::OnUpstreamFailure::skip);
  EXPECT_FALSE(list.for_each);
  const Step& mail = template_.steps[1];
  EXPECT_EQ(mail.name, "mail");
  EXPECT_EQ(mail.handler, "Mailer.send");
  EXPECT_EQ(mail.depends_on, std::vector<std::string>{"list"});
  EXPECT_EQ(mail.queue, "mails");
  EXPECT_EQ(mail.retry, (domain::RetrySettings{.max_attempts = 2, .backoff = domain::Backoff::fixed, .base = 2s}));
  EXPECT_EQ(mail.timeout, 30s);
  EXPECT_EQ(mail.idempotency_key->text(), "mail-{{/campaign}}-{{item/id}}");
  EXPECT_EQ(mail.on_upstream_failure, domain::OnUpstreamFailure::block);
  ASSERT_EQ(mail.when.size(), 2u);
  EXPECT_EQ(mail.when[0].source.step, "");
  EXPECT_EQ(mail.when[0].value, "true");
  EXPECT_EQ(mail.when[1].source.step, "list");
  EXPECT_EQ(mail.when[1].source.path.text(), "/users/0");
  EXPECT_EQ(mail.when[1].comparison, Comparison::exists);
  EXPECT_EQ(mail.for_each->over.step, "list");
  EXPECT_EQ(mail.for_each->over.path.text(), "/users");
  EXPECT_EQ(mail.for_each->max_parallel, 10);
  EXPECT_EQ(mail.for_each->join, domain::Join::settled);
}

TEST(DecodeSteps, ReadsTheSameStepsFromItsOwnDocument) {
  const Template template_ = yaml(with_steps(R"(
  - {name: a, handler: x}
  - {name: b, handler: y, depends_on: [a], when: {step: a, path: "", in: [1, 1.50, "1", null]}}
  - {name: c, handler: z, depends_on: [a, b], idempotency_key: 'k-{{/x~1y}}', on_upstream_failure: run}
)"));

  const Template again = test::json(template_.document);

  EXPECT_EQ(again.steps, template_.steps);
  EXPECT_EQ(again.steps[1].when[0].value, R"([1,1.5,"1",null])");
}

TEST(DecodeSteps, TellsWorkflowsFromPlainTasks) {
  const auto is_workflow = [](const std::string& text) { return yaml(head + text).is_workflow(); };

  EXPECT_FALSE(is_workflow(""));
  EXPECT_FALSE(is_workflow("steps: []\n"));
  EXPECT_FALSE(is_workflow("steps: [{name: a, handler: b, depends_on: [], on_upstream_failure: run}]\n"));
  EXPECT_TRUE(is_workflow("steps: [{name: a, handler: b}, {name: b, handler: b}]\n"));
  EXPECT_TRUE(is_workflow("steps: [{name: a, handler: b, when: {path: /x, exists: true}}]\n"));
  EXPECT_TRUE(is_workflow("steps: [{name: a, handler: b, for_each: {path: /x}}]\n"));
  EXPECT_TRUE(is_workflow("steps: [{name: a, handler: b, idempotency_key: c}]\n"));
}

TEST(DecodeSteps, NamesTheLineOfStepsThatDoNotFitTogether) {
  const std::vector<Case> cases{
      {with_steps("  - {name: a, handler: x}\n  - name: a\n    handler: y\n"),
       "line 6: step 'a' is there twice; give each its own name"},
      {with_steps("  - name: charge\n    handler: x\n  - name: ship\n    handler: y\n    depends_on: [chrage]\n"),
       "line 9: step 'ship' depends on 'chrage', which is no step; did you mean 'charge'?"},
      {with_steps("  - {name: a, handler: x, depends_on: [nowhere]}\n"),
       "line 5: step 'a' depends on 'nowhere', which is no step; there is no other step"},
      {with_steps("  - {name: a, handler: x, depends_on: [nowhere]}\n  - {name: b, handler: x}\n"),
       "line 5: step 'a' depends on 'nowhere', which is no step; the others are b"},
      {with_steps("  - {name: a, handler: x, depends_on: [a]}\n"), "line 5: step 'a' depends on itself"},
      {with_steps("  - {name: a, handler: x}\n  - {name: b, handler: x, depends_on: [a, a]}\n"),
       "line 6: step 'b' depends on 'a' twice"},
      {with_steps("  - {name: o, handler: x}\n  - name: a\n    handler: x\n    depends_on: [o, c]\n"
                  "  - {name: b, handler: x, depends_on: [a]}\n  - {name: c, handler: x, depends_on: [b]}\n"),
       "line 8: the steps go round in a circle: a → b → c → a; take one of them out of the next one's depends_on"},
      {with_steps("  - {name: a, handler: x}\n  - {name: b, handler: y, when: {step: a, path: /ok, equals: true}}\n"),
       "line 6: step 'b': when looks at 'a', so 'a' must be in its depends_on"},
      {with_steps("  - {name: a, handler: x}\n  - {name: b, handler: y, for_each: {step: a}}\n"),
       "line 6: step 'b': for_each looks at 'a', so 'a' must be in its depends_on"},
      {with_steps("  - {name: b, handler: y, for_each: {path: /a}, idempotency_key: 'k-{{/a}}'}\n"),
       "line 5: step 'b': all items would have one key; put {{index}} or {{item}} into it"},
      {with_steps("  - {name: b, handler: y, idempotency_key: 'k-{{index}}'}\n"),
       "line 5: step 'b': {{item}} and {{index}} are for steps with for_each"},
  };
  for (const Case& each : cases) EXPECT_EQ(refused_yaml(each.sent), each.refusal) << each.sent;
}

TEST(DecodeSteps, NamesTheLineAndFieldOfEachError) {
  const auto one = [](const std::string& field) {
    return with_steps("  - name: a\n    handler: b\n    " + field + "\n");
  };
  const std::string comparisons = "equals, not_equals, less_than, at_most, greater_than, at_least, in, exists";
  const std::vector<Case> cases{
      {one("depends_on: b"), "line 7: steps[0].depends_on must be a list of names of steps"},
      {one("depends_on: [a b]"), "line 7: steps[0].depends_on must be 1 to 100 characters of A-Z a-z 0-9 _ . -"},
      {one("on_upstream_failure: stop"), "line 7: steps[0].on_upstream_failure must be one of skip, block, run"},
      {one("idempotency_key: 'a-{{order_id}}'"),
       "line 7: steps[0].idempotency_key: '{{order_id}}' must be a JSON Pointer into the context such as "
       "{{/order_id}}, "
       "{{item}}, {{item/id}} or {{index}}"},
      {one("idempotency_key: 'a-{{/order_id'"), "line 7: steps[0].idempotency_key: '{{' without '}}'"},
      {one("idempotency_key: ''"), "line 7: steps[0].idempotency_key: a key must have 1 to 1000 bytes"},
      {one("idempotency_key: 'a-{{/~}}'"), "line 7: steps[0].idempotency_key: "},
      {one("when: {path: /a}"), "line 7: steps[0].when needs one of " + comparisons},
      {one("when: {equals: 1}"), "line 7: steps[0].when.path is required; \"\" is the whole"},
      {one("when: [{path: /a, equals: 1}, {path: b, equals: 1}]"), "line 7: steps[0].when[1].path: "},
      {one("when: {path: /a, equals: 1, at_most: 2}"),
       "line 7: steps[0].when has equals and at_most; write two comparisons, both must hold"},
      {one("when: {path: /a, is: 1}"),
       "line 7: unknown field 'steps[0].when.is'; known are step, path, " + comparisons},
      {one("when: {path: /a, in: []}"), "line 7: steps[0].when.in must be a list of 1 to 100 values"},
      {one("when: {path: /a, exists: maybe}"), "line 7: steps[0].when.exists must be true or false"},
      {one("when: {path: /a, at_most: true}"), "line 7: steps[0].when.at_most must be a number or a text"},
      {one("when: {path: /a, at_most: }"), "line 7: steps[0].when.at_most has no value"},
      {one("when: []"),
       "line 7: steps[0].when must be a comparison such as {path: /amount, at_least: 100}, or a list of up to 20"},
      {one("for_each: /users"),
       "line 7: steps[0].for_each must be a map with the place of an array, such as {step: list, path: /users}"},
      {one("for_each: {path: /a, max_parallel: 0}"), "line 7: steps[0].for_each.max_parallel must be from 1 to 10000"},
      {one("for_each: {path: /a, join: any}"), "line 7: steps[0].for_each.join must be one of all, settled"},
      {one("for_each: {path: /a, limit: 3}"),
       "line 7: unknown field 'steps[0].for_each.limit'; known are step, path, max_parallel, join"},
      {one("retry: {base: 2h, cap: 1h}"), "line 7: steps[0].retry: base is 2h, above the cap of 1h"},
      {one("queue:"), "line 7: steps[0].queue has no value"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(refused_yaml(each.sent).substr(0, each.refusal.size()), each.refusal) << each.sent;
    EXPECT_TRUE(each.refusal.ends_with(": ") || refused_yaml(each.sent) == each.refusal) << each.sent;
  }
}

TEST(DecodeSteps, RefusesTooMany) {
  std::string steps;
  for (int i = 0; i < 501; ++i) steps += fmt::format("  - {{name: s{}, handler: x}}\n", i);

  EXPECT_EQ(refused_yaml(with_steps(steps)), "line 5: steps: 501 are given; at most 500 are allowed");
}

TEST(DecodeSteps, TakesALongChain) {
  std::string steps = "  - {name: s0, handler: x}\n";
  for (int i = 1; i < 500; ++i) steps += fmt::format("  - {{name: s{}, handler: x, depends_on: [s{}]}}\n", i, i - 1);

  EXPECT_EQ(yaml(with_steps(steps)).steps.size(), 500u);
}

TEST(DecodeInputSchema, IsReadyToCheckContexts) {
  const Template template_ = yaml(head + "input_schema: {required: [id], properties: {id: {type: string}}}\n");

  ASSERT_TRUE(template_.input_schema);
  EXPECT_TRUE(template_.input_schema->check(R"({"id":"7"})", 9).empty());
  EXPECT_EQ(template_.input_schema->check(R"({"id":7})", 9), (std::vector<Violation>{{"/id", "must be a string"}}));
}

TEST(DecodeInputSchema, NamesTheLineOfAFault) {
  const std::vector<Case> cases{
      {head + "input_schema: 5\n", "line 4: input_schema: a schema must be an object, true or false"},
      {head + "input_schema:\n  properties:\n    id:\n      type: string\n      patern: x\n",
       "line 8: input_schema/properties/id/patern: 'patern' is no keyword of draft 7; did you mean 'pattern'?"},
      {head + "input_schema:\n  anyOf:\n    - true\n    - {minimum: a}\n",
       "line 7: input_schema/anyOf/1/minimum: must be a number"},
      {head + "input_schema:\n", "line 4: input_schema has no value"},
  };
  for (const Case& each : cases) EXPECT_EQ(refused_yaml(each.sent), each.refusal) << each.sent;
}

}  // namespace
}  // namespace semel::codec
