#include "domain/template.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel::domain {
namespace {

TEST(CheckVersion, TakesSemanticVersions) {
  const std::vector<std::string> good{"0.0.0",
                                      "1.2.3",
                                      "10.20.30",
                                      "0.0.4",
                                      "1.0.0-alpha",
                                      "1.0.0-alpha.1",
                                      "1.0.0-0.3.7",
                                      "1.0.0-x.7.z.92",
                                      "1.0.0-x-y-z.--",
                                      "1.0.0+001",
                                      "1.0.0-beta+exp.sha.5114f85",
                                      "1.0.0+21AF26D3---117B344092BD",
                                      "1.0.0--",
                                      "1.0.0-0A.is.legal",
                                      "1.1.2+meta-valid",
                                      "99999999999999999999999.999999999999999999.99999999999999999",
                                      "1.0.0-" + std::string(58, 'a')};
  for (const std::string& version : good) EXPECT_TRUE(check_version(version)) << version;
}

TEST(CheckVersion, RefusesEverythingElse) {
  const std::vector<std::string> bad{"",
                                     "1",
                                     "1.2",
                                     "1.2.3.4",
                                     "v1.2.3",
                                     "1.2.x",
                                     "01.2.3",
                                     "1.02.3",
                                     "1.2.03",
                                     "1.2.3-",
                                     "1.2.3+",
                                     "1.2.3-+b",
                                     "1.2.3-a+",
                                     "1.2.3-a..b",
                                     "1.2.3-01",
                                     "1.2.3-a.01",
                                     "1.2.3+a..b",
                                     "1.2.3-a_b",
                                     "1.2.3+a+b",
                                     "1.2.3 ",
                                     " 1.2.3",
                                     "-1.2.3",
                                     "1..3",
                                     ".1.2",
                                     "1.2.",
                                     "1.2.3-é",
                                     "1.0.0\n",
                                     "1.2.3+a_b",
                                     "1.0.0-" + std::string(59, 'a')};
  for (const std::string& version : bad) EXPECT_FALSE(check_version(version)) << version;
}

TEST(CheckVersion, ShowsTheVersionAndAnExample) {
  const Result<void> checked = check_version("1.0");

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "version '1.0' is not a semantic version such as \"1.2.0\"");
}

TEST(CheckVersion, CutsALongOneBetweenCharacters) {
  std::string version = "v";
  for (int i = 0; i < 40; ++i) version += "é";

  const Result<void> checked = check_version(version);

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "version '" + version.substr(0, 63) + "' is not a semantic version such as \"1.2.0\"");
}

/// The examples of semver.org, item 11, and more; each is less than the next.
const std::vector<std::string> ascending{
    "0.0.1",
    "0.9.10",
    "1.0.0-0",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0-99999999999999999998",
    "1.0.0-99999999999999999999",
    "1.0.0--",
    "1.0.0-1a",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-beta.11.0",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.0+build.1",
    "1.0.0+build.2",
    "1.0.1-alpha",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
    "2.1.0",
    "2.1.1",
    "10.0.0",
    "18446744073709551616.0.0",
    "18446744073709551617.0.0",
};

TEST(CompareVersions, OrdersBySemverPrecedence) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_versions(ascending[i], ascending[j]);
      const int expected = i < j ? -1 : i > j ? 1 : 0;

      EXPECT_EQ((order > 0) - (order < 0), expected) << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(CompareVersions, TakesBuildMetadataOnlyToBreakTies) {
  EXPECT_LT(compare_versions("1.0.0+zzz", "1.0.1+aaa"), 0);
  EXPECT_LT(compare_versions("1.0.0-rc.1+zzz", "1.0.0+aaa"), 0);
  EXPECT_NE(compare_versions("1.0.0+a", "1.0.0+b"), 0);
}

// Computed with Python's uuid module: uuid5(uuid5(NAMESPACE_DNS, "semel.identity"), "tenant/namespace/name").
TEST(NamedTaskUuid, IsTheUuidThatAnyLanguageComputes) {
  EXPECT_EQ(named_task_uuid("default", "payments", "process_payment").text(), "6bb1ddee-d88f-5ab4-a3aa-5254c8aeaea2");
  EXPECT_EQ(named_task_uuid("acme", "payments", "process_payment").text(), "48231907-10c1-5cc6-8be9-d4c67b83446d");
  EXPECT_EQ(named_task_uuid("default", "payments.eu", "process_payment").text(),
            "a215e0f5-ce35-53f9-adeb-29a0bb9b6238");
  EXPECT_EQ(named_task_uuid("default", "payments", "refund").text(), "e1b71a80-8ef9-5841-8c6c-5b3efeeb122b");
}

TEST(NamedTaskUuid, IsAVersion5Uuid) {
  const Uuid uuid = named_task_uuid("t", "n", "x");

  EXPECT_EQ(uuid.version(), 5);
  EXPECT_TRUE(uuid.is_rfc_variant());
}

}  // namespace
}  // namespace semel::domain
