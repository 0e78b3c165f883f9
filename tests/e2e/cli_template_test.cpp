#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

const std::string invoice =
    "namespace: shop\nname: invoice\nversion: 1.2.0\nidentity:\n  strategy: strict\n  ignore: [/requested_by]\n";

class CliTemplate : public CliTest {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }
};

TEST_F(CliTemplate, IsAppliedListedAndShown) {
  const std::string yaml = file("t/invoice.yaml", invoice);
  const std::string json =
      file("t/sub/refund.json", "{\n  \"namespace\": \"shop\",\n  \"name\": \"refund\", \"version\": \"1.0.0\"}\n");
  file("t/README.md", "no template");

  const Finished applied = semel({"template", "apply", (folder_ / "t").string()});
  const Finished again = semel({"template", "apply", yaml});
  file("t/invoice.yaml", invoice + "queue: paper\n");
  const Finished changed = semel({"template", "apply", yaml});
  const Finished listed = semel({"template", "ls"});
  const Finished shown = semel({"template", "get", "shop/invoice/1.2.0"});

  EXPECT_EQ(applied.code, 0) << applied.errors;
  EXPECT_EQ(applied.output,
            yaml + ": shop/invoice 1.2.0 created (revision 1)\n" + json + ": shop/refund 1.0.0 created (revision 1)\n");
  EXPECT_THAT(again.output, HasSubstr("unchanged (revision 1)"));
  EXPECT_THAT(changed.output, HasSubstr("changed (revision 2)"));
  EXPECT_EQ(listed.output,
            "NAMESPACE  NAME     VERSION  REVISION\n"
            "shop       invoice  1.2.0    2\n"
            "shop       refund   1.0.0    1\n");
  EXPECT_THAT(shown.output, MatchesRegex("namespace +shop\nname +invoice\n(.|\n)*queue +paper\n(.|\n)*"));
  EXPECT_THAT(semel({"template", "get", "shop/invoice"}).output, HasSubstr("invoice"));
  EXPECT_EQ(semel({"template", "get", "invoice"}).code, 4);
}

TEST_F(CliTemplate, ThatIsWrongKeepsAllFromBeingApplied) {
  file("t/a.yaml", invoice);
  const std::string bad = file("t/b.yaml", "namespace: shop\nname: x\nversion: 1.0.0\nqueu: q\n");

  const Finished done = semel({"template", "apply", (folder_ / "t").string()});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.errors, HasSubstr(bad + ":4: unknown field 'queu'"));
  EXPECT_THAT(done.errors, HasSubstr("nothing was applied"));
  EXPECT_EQ(server_.connect().get("/v1/templates").body["templates"], Json::array());
}

TEST_F(CliTemplate, IsCheckedWithoutAServer) {
  const std::string good = file("good.yaml", invoice);
  const std::string yaml = file("bad.yaml", "namespace: shop\nname: x\nversion: one\n");
  const std::string json = file("bad.json", "{\n\"namespace\": \"shop\",\n\"name\": \"x\",\n\"version\": \"one\"}");
  const std::string twice = file("twice.json", "{\n\"namespace\": \"shop\",\n\"namespace\": \"x\"}");
  const std::string broken = file("broken.yaml", "namespace: [\n");

  const Finished fine = run_semel({"template", "validate", good});
  const Finished wrong =
      run_semel({"template", "validate", yaml, json, twice, broken, (folder_ / "none.yaml").string()});

  EXPECT_EQ(fine.code, 0);
  EXPECT_EQ(fine.output, good + ": ok, shop/invoice 1.2.0\n");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.errors, HasSubstr(yaml + ":3: "));
  EXPECT_THAT(wrong.errors, HasSubstr(json + ":4: "));
  EXPECT_THAT(wrong.errors, HasSubstr(twice + ":"));
  EXPECT_THAT(wrong.errors, HasSubstr(broken + ":2: "));
  EXPECT_THAT(wrong.errors, HasSubstr("cannot read " + (folder_ / "none.yaml").string()));
}

TEST_F(CliTemplate, GivesTheSameIdentityWithAndWithoutAServer) {
  const std::string yaml = file("invoice.yaml", invoice);
  ASSERT_EQ(semel({"template", "apply", yaml}).code, 0);
  const std::string context = R"({"order": 1e2, "requested_by": "me", "exact": 9007199254740993})";
  const auto identity = [&](const std::vector<std::string>& arguments, bool online) {
    const Finished done = online ? semel(arguments) : run_semel(arguments);
    EXPECT_EQ(done.code, 0) << done.errors;
    return Json::parse(done.output);
  };

  const Json online = identity({"explain", "invoice", "--namespace", "shop", "--context", context, "--json"}, true);
  const Json offline = identity({"explain", "--template-file", yaml, "--context", context, "--json"}, false);
  const Json other =
      identity({"explain", "--template-file", yaml, "--tenant", "acme", "--context", context, "--json"}, false);
  const Finished shown = run_semel({"explain", "--template-file", yaml, "--context", context});

  EXPECT_EQ(offline["identity"], online["identity"]);
  EXPECT_EQ(offline["identity"]["material"], R"({"exact":9007199254740993,"order":100})");
  EXPECT_EQ(offline["canonical_context"], R"({"exact":9007199254740993,"order":100,"requested_by":"me"})");
  EXPECT_NE(other["identity"]["hash"], online["identity"]["hash"]);
  EXPECT_FALSE(offline.contains("would"));
  EXPECT_THAT(shown.output, HasSubstr(online["identity"]["hash"].get<std::string>()));
}

TEST_F(CliTemplate, IsExplainedOnlyIfItIsGood) {
  const Finished bad = run_semel({"explain", "--template-file", file("bad.yaml", "name: x\n"), "--context", "{}"});
  const Finished keyless =
      run_semel({"explain", "--template-file",
                 file("key.yaml", "namespace: a\nname: x\nversion: 1.0.0\nidentity_strategy: caller_provided\n")});

  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.errors, HasSubstr("bad.yaml: namespace is required"));
  EXPECT_EQ(keyless.code, 1);
  EXPECT_THAT(keyless.errors, HasSubstr("idempotency_key is required"));
}

}  // namespace
}  // namespace semel::test
