#include "engine/template_registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace semel::engine {
namespace {

using domain::Template;

Template versioned(const std::string& version, int revision = 1, const std::string& name = "charge") {
  Template template_;
  template_.namespace_ = "payments";
  template_.name = name;
  template_.version = version;
  template_.revision = revision;
  return template_;
}

class TemplateRegistryTest : public ::testing::Test {
 protected:
  /// version#revision, or "none".
  std::string found(std::optional<std::string> version = std::nullopt, const std::string& tenant = "acme") const {
    const TemplateRegistry::Shared template_ = registry.find(tenant, "payments", "charge", version);
    return template_ ? template_->version + "#" + std::to_string(template_->revision) : "none";
  }
  std::vector<std::string> versions() const {
    std::vector<std::string> texts;
    for (const auto& each : registry.versions("acme", "payments", "charge")) texts.push_back(each->version);
    return texts;
  }

  TemplateRegistry registry;
};

TEST_F(TemplateRegistryTest, FindsTheHighestVersionBySemverInWhateverOrderTheyCame) {
  const std::vector<std::string> descending{"10.0.0", "2.0.0", "2.0.0-rc.2", "2.0.0-rc.1", "1.10.0", "1.9.0"};
  std::vector<std::string> order = descending;
  std::sort(order.begin(), order.end());
  do {
    TemplateRegistry fresh;
    for (const std::string& version : order) fresh.put("acme", versioned(version));

    EXPECT_EQ(fresh.find("acme", "payments", "charge", std::nullopt)->version, "10.0.0");
    const auto all = fresh.versions("acme", "payments", "charge");
    ASSERT_EQ(all.size(), descending.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i]->version, descending[i]);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(TemplateRegistryTest, FindsAVersionByItsText) {
  registry.put("acme", versioned("1.0.0"));
  registry.put("acme", versioned("1.0.0+build.2"));

  EXPECT_EQ(found("1.0.0"), "1.0.0#1");
  EXPECT_EQ(found("1.0.0+build.2"), "1.0.0+build.2#1");
  EXPECT_EQ(found("1.0.1"), "none");
  EXPECT_EQ(found(), "1.0.0+build.2#1");
}

TEST_F(TemplateRegistryTest, KeepsTheNewestRevisionOfAVersion) {
  registry.put("acme", versioned("1.0.0", 1));
  registry.put("acme", versioned("1.0.0", 3));
  EXPECT_EQ(found(), "1.0.0#3");

  registry.put("acme", versioned("1.0.0", 2));
  EXPECT_EQ(found(), "1.0.0#3") << "told late";
  EXPECT_EQ(versions(), std::vector<std::string>{"1.0.0"});
}

TEST_F(TemplateRegistryTest, KeepsTenantsNamespacesAndNamesApart) {
  registry.put("acme", versioned("1.0.0"));
  registry.put("tenant-2", versioned("2.0.0"));
  registry.put("acme", versioned("3.0.0", 1, "refund"));

  EXPECT_EQ(found(), "1.0.0#1");
  EXPECT_EQ(found(std::nullopt, "tenant-2"), "2.0.0#1");
  EXPECT_EQ(found(std::nullopt, "tenant-3"), "none");
  EXPECT_EQ(registry.find("acme", "other", "charge", std::nullopt), nullptr);
}

TEST_F(TemplateRegistryTest, RemovesOneVersionOrAll) {
  for (const std::string version : {"1.0.0", "2.0.0", "3.0.0"}) registry.put("acme", versioned(version));
  const TemplateRegistry::Shared kept = registry.find("acme", "payments", "charge", "3.0.0");

  registry.remove("acme", "payments", "charge", "3.0.0");
  EXPECT_EQ(versions(), (std::vector<std::string>{"2.0.0", "1.0.0"}));

  registry.remove("acme", "payments", "charge", "");
  registry.remove("acme", "payments", "charge", "");
  EXPECT_EQ(found(), "none");
  EXPECT_TRUE(versions().empty());
  EXPECT_EQ(kept->version, "3.0.0") << "who uses it still has it";
}

TEST_F(TemplateRegistryTest, TakesARemovedVersionAgain) {
  registry.put("acme", versioned("1.0.0", 5));
  registry.remove("acme", "payments", "charge", "1.0.0");

  registry.put("acme", versioned("1.0.0", 1));

  EXPECT_EQ(found(), "1.0.0#1");
}

}  // namespace
}  // namespace semel::engine
