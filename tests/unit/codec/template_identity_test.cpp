#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/codec/templates.hpp"

/// The member `identity` of a template, and documents made to hurt.
namespace semel::codec {
namespace {

using domain::DedupWindow;
using domain::IdentitySettings;
using test::head;
using test::refused_yaml;

std::string with_identity(const std::string& members) { return head + "identity: {" + members + "}\n"; }
IdentitySettings identity(const std::string& members) { return test::yaml(with_identity(members)).identity; }

TEST(TemplateIdentity, ReadsEveryStrategyAndScope) {
  for (const std::string strategy : {"strict", "caller_provided", "always_unique"}) {
    EXPECT_EQ(name_of(identity("strategy: " + strategy).strategy), strategy);
  }
  for (const std::string scope : {"template", "template_version", "queue", "tenant"}) {
    EXPECT_EQ(name_of(identity("scope: " + scope).scope), scope);
  }
}

TEST(TemplateIdentity, ReadsThePolicies) {
  const IdentitySettings settings =
      identity("reuse: reject_duplicate, on_duplicate: describe, on_payload_mismatch: ignore, locked: true");

  EXPECT_EQ(settings.reuse, domain::Reuse::reject_duplicate);
  EXPECT_EQ(settings.on_duplicate, domain::OnDuplicate::describe);
  EXPECT_EQ(settings.on_payload_mismatch, domain::OnMismatch::ignore);
  EXPECT_TRUE(settings.locked);
  EXPECT_FALSE(identity("locked: false").locked);
}

TEST(TemplateIdentity, ReadsPointers) {
  const IdentitySettings fields = identity("fields: [/a, '/b/0', \"\"]");
  const IdentitySettings ignore = identity("ignore: [/a/b~1c]");

  ASSERT_EQ(fields.fields.size(), 3u);
  EXPECT_EQ(fields.fields[1].text(), "/b/0");
  EXPECT_EQ(fields.fields[2].text(), "");
  ASSERT_EQ(ignore.ignore.size(), 1u);
  EXPECT_EQ(ignore.ignore[0].tokens(), (std::vector<std::string>{"a", "b/c"}));
}

TEST(TemplateIdentity, ReadsPeriodsOfWholeSeconds) {
  EXPECT_EQ(identity("period: 1h").period, 1h);
  EXPECT_EQ(identity("period: 1s").period, 1s);
  EXPECT_EQ(identity("period: 2000ms").period, 2s);
  EXPECT_EQ(identity("period: 366d").period, 366 * 24h);
}

TEST(TemplateIdentity, ReadsDedupWindows) {
  EXPECT_EQ(identity("dedup_window: 24h").dedup_window, (DedupWindow{DedupWindow::Kind::fixed, 24h}));
  EXPECT_EQ(identity("dedup_window: 0").dedup_window, (DedupWindow{DedupWindow::Kind::fixed, Duration{0}}));
  EXPECT_EQ(identity("dedup_window: retention").dedup_window, (DedupWindow{DedupWindow::Kind::retention, Duration{0}}));
  EXPECT_EQ(identity("dedup_window: forever").dedup_window, (DedupWindow{DedupWindow::Kind::forever, Duration{0}}));
}

TEST(TemplateIdentity, RefusesWhatItCannotMeanAndSaysWhatItCan) {
  const std::string period_rule =
      "line 4: identity.period must be whole seconds from \"1s\" to \"366d\", such as \"1h\"";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"strategy: loose", "line 4: identity.strategy must be one of strict, caller_provided, always_unique"},
      {"scope: global", "line 4: identity.scope must be one of template, template_version, queue, tenant"},
      {"reuse: never",
       "line 4: identity.reuse must be one of allow_duplicate_failed_only, reject_duplicate, "
       "allow_duplicate"},
      {"on_duplicate: ignore", "line 4: identity.on_duplicate must be one of reject, describe, return_existing"},
      {"on_payload_mismatch: [reject]", "line 4: identity.on_payload_mismatch must be a text"},
      {"on_payload_mismatch: describe", "line 4: identity.on_payload_mismatch must be one of reject, ignore"},
      {"fields: /a", "line 4: identity.fields must be a list of JSON Pointers such as \"/order_id\""},
      {"fields: []", "line 4: identity.fields must be a list of JSON Pointers such as \"/order_id\""},
      {"fields: [a]", "line 4: identity.fields: a JSON Pointer must be empty or begin with '/'"},
      {"fields: [/a~2]", "line 4: identity.fields: '~' in a JSON Pointer must be written as ~0, and '/' as ~1"},
      {"fields: [/a, /b, /a]", "line 4: identity.fields: '/a' is given twice"},
      {"fields: [[/a]]", "line 4: identity.fields must be a text"},
      {"fields: [/a], ignore: [/b]", "line 4: identity.fields and identity.ignore exclude each other"},
      {"ignore: [\"\"]", "line 4: identity.ignore: \"\" would ignore everything"},
      {"strategy: caller_provided, fields: [/a]",
       "line 4: identity.fields, ignore and period refine the strategy strict only"},
      {"period: 1h, strategy: always_unique",
       "line 4: identity.fields, ignore and period refine the strategy strict only"},
      {"period: 0", period_rule},
      {"period: 999ms", period_rule},
      {"period: 1500ms", period_rule},
      {"period: 367d", period_rule},
      {"period: hourly", period_rule},
      {"locked: yes", "line 4: identity.locked must be true or false"},
      {"dedup_window: always",
       "line 4: identity.dedup_window must be a duration such as \"24h\", \"retention\" or \"forever\""},
      {"color: red",
       "line 4: unknown field 'identity.color'; known are strategy, scope, fields, ignore, period, locked, "
       "reuse, "
       "on_duplicate, on_payload_mismatch, dedup_window"},
  };
  for (const auto& [members, refusal] : cases) EXPECT_EQ(refused_yaml(with_identity(members)), refusal);
  EXPECT_EQ(refused_yaml(head + "identity: strict\n"), "line 4: identity must be a map such as {strategy: strict}");
}

TEST(TemplateIdentity, TakesUpToFiftyPointers) {
  std::string pointers;
  for (int i = 0; i < 50; ++i) pointers += (i > 0 ? ", /f" : "/f") + std::to_string(i);

  EXPECT_EQ(identity("fields: [" + pointers + "]").fields.size(), 50u);
  EXPECT_EQ(refused_yaml(with_identity("fields: [" + pointers + ", /more]")),
            "line 4: identity.fields: at most 50 pointers are allowed");
}

TEST(HostileTemplate, CannotUnfoldAliasesIntoAHugeDocument) {
  std::string bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) bomb += ", " + before;
    bomb += "]\n";
  }

  const std::string refusal = refused_yaml(head + bomb);

  EXPECT_NE(refusal.find("the document is too large"), std::string::npos) << refusal;
}

TEST(HostileTemplate, CannotNestItselfOrNestDeeply) {
  const std::string deep = head + "description: " + std::string(40, '[') + std::string(40, ']') + "\n";
  const std::string deeper = head + "description: " + std::string(100'000, '[') + "\n";

  EXPECT_NE(refused_yaml(deep).find("nested too deeply"), std::string::npos) << refused_yaml(deep);
  EXPECT_NE(refused_yaml(deeper), "");
  EXPECT_NE(refused_yaml(head + "description: &a [*a, *a]\n"), "");
  EXPECT_NE(test::refused_json(std::string(100'000, '[')), "");
}

TEST(HostileTemplate, MayUseAliasesModestly) {
  EXPECT_EQ(test::yaml("namespace: &n payments\nname: *n\nversion: 1.0.0\n").name, "payments");
}

TEST(HostileTemplate, RefusesInvalidUtf8) { EXPECT_NE(refused_yaml(head + "description: \"\xFF\xFE\"\n"), ""); }

}  // namespace
}  // namespace semel::codec
