#include "api/codec/template_document.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/unit/codec/case.hpp"
#include "tests/unit/codec/templates.hpp"

namespace semel::codec {
namespace {

using domain::Template;
using test::Case;
using test::head;
using test::refused_json;
using test::refused_yaml;
using test::yaml;

TEST(DecodeTemplate, FillsWhatIsLeftOutWithDefaults) {
  const Template template_ = yaml(head);

  EXPECT_EQ(template_.namespace_, "payments");
  EXPECT_EQ(template_.name, "charge");
  EXPECT_EQ(template_.version, "1.0.0");
  EXPECT_EQ(template_.revision, 1);
  EXPECT_EQ(template_.handler, "charge");
  EXPECT_EQ(template_.queue, "default");
  EXPECT_EQ(template_.identity.strategy, domain::Strategy::strict);
  EXPECT_EQ(template_.identity.scope, domain::Scope::template_);
  EXPECT_FALSE(template_.identity.locked);
  EXPECT_EQ(template_.identity.reuse, std::nullopt);
  EXPECT_EQ(template_.identity.dedup_window, std::nullopt);
  EXPECT_EQ(template_.document, R"({"name":"charge","namespace":"payments","version":"1.0.0"})");
}

TEST(DecodeTemplate, TakesTheShapeOfTheSeeds) {
  const Template template_ = yaml(R"(
namespace: payments
name: process_payment
version: "1.0.0"
identity_strategy: caller_provided  # strict | caller_provided | always_unique

steps:
  - name: validate_payment
    handler: payment_validator
)");

  EXPECT_EQ(template_.identity.strategy, domain::Strategy::caller_provided);
  EXPECT_EQ(template_.handler, "payment_validator");
  EXPECT_EQ(template_.queue, "default");
}

TEST(DecodeTemplate, TakesHandlerAndQueueOfItsOnlyStep) {
  const Template template_ =
      yaml(head + "queue: billing\nsteps:\n  - {name: a, handler: {callable: x}, queue: slow}\n");

  EXPECT_EQ(template_.handler, "x");
  EXPECT_EQ(template_.queue, "slow");
  EXPECT_EQ(yaml(head + "queue: billing\nsteps: [{name: a, handler: x, depends_on: []}]\n").queue, "billing");
}

TEST(DecodeTemplate, TakesItsOwnHandlerWithoutSteps) {
  EXPECT_EQ(yaml(head + "handler: x\n").handler, "x");
  EXPECT_EQ(yaml(head + "handler: {callable: x}\n").handler, "x");
  EXPECT_EQ(yaml(head + "handler: x\nsteps: []\n").handler, "x");
}

TEST(DecodeTemplate, ReadsOneDocumentFromYamlAndJson) {
  const std::string as_yaml = R"(
name: charge
namespace: payments
version: "1.0.0"
description: |
  two
  lines
queue: billing
identity:
  strategy: strict
  fields: [/order/id, '/a~1b']
  locked: true
  dedup_window: 24h
)";
  const std::string as_json = R"({"identity": {"fields": ["/order/id", "/a~1b"], "locked": true,
      "dedup_window": "24h", "strategy": "strict"}, "queue": "billing", "namespace": "payments",
      "description": "two\nlines\n", "name": "charge", "version": "1.0.0"})";

  const Template left = yaml(as_yaml);
  const Template right = test::json(as_json);

  EXPECT_EQ(left.document, right.document);
  EXPECT_EQ(left.document,
            R"({"description":"two\nlines\n","identity":{"dedup_window":"24h","fields":["/order/id","/a~1b"],)"
            R"("locked":true,"strategy":"strict"},"name":"charge","namespace":"payments","queue":"billing",)"
            R"("version":"1.0.0"})");
  EXPECT_EQ(left.identity.fields, right.identity.fields);
  EXPECT_EQ(left.identity.locked, right.identity.locked);
  EXPECT_EQ(left.identity.dedup_window, right.identity.dedup_window);
  EXPECT_EQ(left.queue, right.queue);
}

TEST(DecodeTemplate, ReadsItsOwnDocumentBackUnchanged) {
  const std::vector<std::string> documents{
      head +
          "description: \"quotes \\\" and \\\\, a tab \\t, a zero \\0, ü, €, 😀, \\u0085, \\u2028, # no "
          "comment\"\n",
      head + "description: '1.50'\n",
      head + "description: 'true'\n",
      head + "description: '~'\n",
      head + "description: \"\"\n",
      head + "identity: {strategy: always_unique, on_duplicate: describe}\n",
      head + "steps:\n- name: a\n  handler: b\n",
  };
  for (const std::string& text : documents) {
    const std::string document = yaml(text).document;

    EXPECT_EQ(test::json(document).document, document);
  }
}

TEST(DecodeTemplate, TellsPlainScalarsFromQuotedOnes) {
  EXPECT_NE(yaml(head + "description: 1\n").document, yaml(head + "description: '1'\n").document);
  EXPECT_EQ(yaml(head + "description: 1.0\n").document, yaml(head + "description: 1\n").document);
  EXPECT_EQ(yaml(head + "description: 007\n").document, yaml(head + "description: '007'\n").document);
  EXPECT_EQ(yaml(head + "description: yes\n").document, yaml(head + "description: 'yes'\n").document);
}

TEST(DecodeTemplate, NamesTheLineOfEachError) {
  const std::string name_rule = " must be 1 to 100 characters of A-Z a-z 0-9 _ . -";
  const std::vector<Case> cases{
      {"namespace: a b\nname: x\nversion: 1.0.0\n", "line 1: namespace" + name_rule},
      {"namespace: a\nname: [x]\nversion: 1.0.0\n", "line 2: name must be a text"},
      {"namespace: a\nname: x\nversion: 1.0\n", "line 3: version '1.0' is not a semantic version such as \"1.2.0\""},
      {head + "queue: ''\n", "line 4: queue" + name_rule},
      {head + "queue:\n", "line 4: queue has no value"},
      {head + "handler: [a]\n", "line 4: handler must be a name, or a map with callable"},
      {head + "handler: {name: a}\n", "line 4: handler must be a name, or a map with callable"},
      {head + "handler: {callable: a b}\n", "line 4: handler.callable" + name_rule},
      {head + "description: {}\n", "line 4: description must be a text"},
      {head + "identity_strategy: Strict\n",
       "line 4: identity_strategy must be one of strict, caller_provided, always_unique"},
      {head + "identity_strategy: strict\nidentity:\n  scope: queue\n",
       "line 6: identity_strategy and identity are both given; use identity.strategy"},
      {head + "handler: a\nsteps: [{name: a, handler: b}]\n",
       "line 4: handler and steps are both given; the step has its own handler"},
      {head + "steps: {name: a}\n", "line 4: steps must be a list"},
      {head + "steps:\n  - a\n", "line 5: a step must be a map with a name and a handler"},
      {head + "steps:\n  - handler: a\n", "line 5: steps[0].name is required"},
      {head + "steps:\n  - name: a\n", "line 5: steps[0].handler is required"},
      {head + "steps:\n  - name: a\n    handler: b\n    color: red\n",
       "line 7: unknown field 'steps[0].color'; known are name, handler, depends_on, queue, retry, timeout, "
       "idempotency_key, on_upstream_failure, when, for_each"},
      {head + "color: red\n",
       "line 4: unknown field 'color'; known are namespace, name, version, description, identity_strategy, "
       "identity, "
       "queue, handler, retry, "
       "max_attempts, timeout, input_schema, steps"},
      {head + "name: again\n", "line 4: 'name' is given twice"},
      {head + "queue: [unclosed\n", "line 5: end of sequence flow not found"},
      {head + "\tqueue: a\n", "line 4: YAML is indented by spaces; this line has a tab"},
      {head + "? [a]\n: b\n", "line 1: a key must be a plain text"},
  };
  for (const Case& each : cases) EXPECT_EQ(refused_yaml(each.sent), each.refusal) << each.sent;
}

TEST(DecodeTemplate, NamesTheLineOfAnUnknownFieldNotOfItsValue) {
  EXPECT_TRUE(refused_yaml(head + "color:\n  - red\n").starts_with("line 4: unknown field 'color'"));
  EXPECT_TRUE(refused_yaml(head + "color:\n").starts_with("line 4: color has no value"));
  EXPECT_TRUE(
      refused_yaml(head + "identity:\n  color:\n    - red\n").starts_with("line 5: unknown field 'identity.color'"));
}

TEST(DecodeTemplate, NamesWhatIsMissing) {
  EXPECT_EQ(refused_yaml("name: a\nversion: 1.0.0\n"), "namespace is required");
  EXPECT_EQ(refused_yaml("namespace: a\nversion: 1.0.0\n"), "name is required");
  EXPECT_EQ(refused_yaml("namespace: a\nname: a\n"), "version is required");
}

TEST(DecodeTemplate, RefusesWhatIsNoMap) {
  for (const std::string text : {"- a\n", "just text\n", "7\n", "# nothing but a comment\n"}) {
    EXPECT_NE(refused_yaml(text).find("a template must be a map with namespace, name and version"), std::string::npos)
        << refused_yaml(text);
  }
  EXPECT_NE(refused_yaml(""), "");
  EXPECT_NE(refused_json("[]"), "");
}

TEST(DecodeTemplate, RefusesASecondDocumentRatherThanDropIt) {
  EXPECT_EQ(refused_yaml(head + "---\n" + head), "line 4: a template must be one YAML document; this has more");
}

TEST(DecodeTemplate, RefusesTextInWhichTheParserFindsDocumentsWithoutEnd) {
  EXPECT_EQ(refused_yaml(",\x03"), "line 1: the text has a control character");
  EXPECT_NE(refused_yaml(","), "");
  EXPECT_NE(refused_yaml("]\n}"), "");
}

TEST(DecodeTemplate, RefusesATextThatWasCutOff) {
  EXPECT_EQ(refused_yaml(head + "description: \"abc\n").substr(0, 5), "line ");
  EXPECT_EQ(refused_yaml(head + "description: 'abc\n\n").substr(0, 5), "line ");
  EXPECT_EQ(refused_yaml(head + "identity: {strategy: strict\n").substr(0, 5), "line ");
}

TEST(DecodeTemplate, TakesTheEndOfADocument) {
  EXPECT_TRUE(decode_template_yaml(head + "...\n"));
  EXPECT_TRUE(decode_template_yaml("---\n" + head + "..."));
}

TEST(DecodeTemplate, NamesATabInTheIndentation) {
  EXPECT_EQ(refused_yaml(head + "identity:\n\tstrategy: strict\n"),
            "line 5: YAML is indented by spaces; this line has a tab");
}

TEST(DecodeTemplate, RefusesWhatIsNotUtf8) {
  using namespace std::string_literals;
  EXPECT_EQ(refused_yaml(head + "queue: \xff\n"), "line 4: the text is not valid UTF-8");
  EXPECT_EQ(refused_yaml("\0\0\0a\0\0\0:"s), "line 1: the text has a control character");  // UTF-32
  EXPECT_EQ(refused_yaml("\xfe\xff\0a"s), "line 1: the text is not valid UTF-8");          // UTF-16
}

TEST(DecodeTemplate, ChecksJsonAsStrictlyAsAContext) {
  const std::string rest = R"("namespace":"a","name":"b","version":"1.0.0"})";

  EXPECT_EQ(refused_json(R"({"queue":"x","queue":"x",)" + rest), "duplicate key \"queue\" at byte 13");
  EXPECT_EQ(refused_json("{'queue':1," + rest), "expected a key at byte 1, found '''");
  EXPECT_EQ(refused_json(R"({"description":"\ud800",)" + rest), "lone surrogate \\ud800 at byte 16");
  EXPECT_EQ(refused_json(R"({"queue":null,)" + rest), "line 1: queue has no value");
}

TEST(DecodeTemplate, RefusesWhatALaterVersionGivesMeaning) {
  const std::vector<Case> cases{
      {head + "timeout_ms: 3\n", "line 4: timeout_ms is not supported yet; leave it out"},
      {head + "concurrency_key: a\n", "line 4: concurrency_key is not supported yet; leave it out"},
      {head + "handler: {callable: a, initialization: {}}\n",
       "line 4: handler.initialization is not supported yet; leave it out"},
  };
  for (const Case& each : cases) {
    const auto result = decode_template_yaml(each.sent);

    ASSERT_FALSE(result) << each.sent;
    EXPECT_EQ(result.error().code, ErrorCode::not_supported_yet) << each.sent;
    EXPECT_EQ(result.error().message, each.refusal) << each.sent;
  }
}

/// A stored template is read again when the server starts: what is taken now must be readable then.
TEST(DecodeTemplate, TakesOnlyKeysThatCanBeReadAgain) {
  const auto with_key = [](const std::string& key) {
    return head + "input_schema:\n  properties:\n    " + key + ": {}\n";
  };
  std::string letters;
  for (int i = 0; i < 511; ++i) letters += "\u0144";

  for (const std::string& key : {std::string(1022, 'k'), letters, std::string(1020, 'k') + '"'}) {
    const Template taken = yaml(with_key(key));
    EXPECT_EQ(test::json(taken.document).document, taken.document);
  }
  for (const std::string& key : {std::string(1023, 'k'), letters + "k", std::string(1021, 'k') + '"'}) {
    EXPECT_EQ(refused_yaml(with_key(key)), "line 6: a key is longer than 1024 bytes");
  }
}

/// What is stored is JSON: of 7.50 it would keep the number 7.5, and a restart would make another template of it.
TEST(DecodeTemplate, TakesNamesOnlyAsTheyAreReadAgain) {
  const auto named = [](const std::string& name) { return "namespace: shop\nname: " + name + "\nversion: 1.0.0\n"; };

  for (const std::string name : {"2024", "7.5", "1e-7", "true", "007", "1.0.0"}) {
    const Template taken = yaml(named(name));
    EXPECT_EQ(taken.name, name);
    EXPECT_EQ(test::json(taken.document).name, name);
  }
  for (const std::string name : {"7.50", "1.0", "1e2", "-0", "0.10e1", "3333333333333333333333"}) {
    EXPECT_EQ(yaml(named('"' + name + '"')).name, name);
    EXPECT_THAT(refused_yaml(named(name)), testing::StartsWith("line 2: name is read as the number "));
    EXPECT_THAT(refused_yaml(head + "queue: " + name), testing::HasSubstr("queue is read as the number "));
    EXPECT_THAT(refused_yaml(head + "handler: {callable: " + name + "}"),
                testing::HasSubstr("handler.callable is read as the number "));
    EXPECT_THAT(refused_yaml(head + "steps: [{name: " + name + ", handler: {callable: x}}]"),
                testing::HasSubstr("name is read as the number "));
  }
  EXPECT_EQ(refused_yaml(named("7.50")), "line 2: name is read as the number 7.5; for a text, write \"7.50\"");
}

}  // namespace
}  // namespace semel::codec
