#include "server/open_targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.hpp"

namespace semel::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string signing_a = "whsec_" + std::string(32, 'A');
const std::string signing_b = "whsec_" + std::string(32, 'B');

std::optional<std::string> no_variable(const char*) { return std::nullopt; }

TEST(OpenTargets, ReadsSecretsByName) {
  const Result<dispatch::SigningSecrets> secrets = parse_signing_secrets(
      "# of the server\ndefault " + signing_a + "\n\n  acme/mail\t" + signing_b + "\r\ndefault " + signing_b);

  ASSERT_TRUE(secrets);
  EXPECT_EQ(secrets->size(), 2U);
  EXPECT_THAT(secrets->at("default"), ElementsAre(signing_a, signing_b));
  EXPECT_THAT(secrets->at("acme/mail"), ElementsAre(signing_b));
}

TEST(OpenTargets, NamesTheLineOfWhatIsNoSecretAndDoesNotShowIt) {
  for (const char* line : {"hush", "default", "default hush", "default whsec_hush"}) {
    const Result<dispatch::SigningSecrets> secrets = parse_signing_secrets("#\n" + std::string(line));

    ASSERT_FALSE(secrets) << line;
    EXPECT_THAT(secrets.error().message, HasSubstr("line 2 of the signing secrets"));
    EXPECT_THAT(secrets.error().message, Not(HasSubstr("hush")));
  }
  EXPECT_FALSE(parse_signing_secrets("default " + signing_a + " " + signing_b));
}

TEST(OpenTargets, TakesSecretsFromFiles) {
  const test::TempDir folder;
  DispatchOptions options;
  options.signing_secrets_file = folder.path() / "signing";
  options.credentials_file = folder.path() / "google.json";
  std::ofstream(options.signing_secrets_file) << "acme " << signing_a;
  std::ofstream(options.credentials_file) << "{\"type\":\"service_account\"}";

  const Result<dispatch::Options> read = read_dispatch_options(options, no_variable);

  ASSERT_TRUE(read);
  EXPECT_THAT(read->signing_secrets.at("acme"), ElementsAre(signing_a));
  EXPECT_EQ(read->cloud_tasks.credentials, "{\"type\":\"service_account\"}");
}

TEST(OpenTargets, TakesSecretsFromTheEnvironmentFirst) {
  const test::TempDir folder;
  DispatchOptions options;
  options.signing_secrets_file = folder.path() / "signing";
  std::ofstream(options.signing_secrets_file) << "acme " << signing_a << "\ndefault " << signing_a;
  const auto variable = [](const char* name) -> std::optional<std::string> {
    if (name == std::string_view("SEMEL_DISPATCH_SIGNING_SECRET")) return signing_b + " " + signing_a;
    return "{}";
  };

  const Result<dispatch::Options> read = read_dispatch_options(options, variable);

  ASSERT_TRUE(read);
  EXPECT_THAT(read->signing_secrets.at("default"), ElementsAre(signing_b, signing_a));
  EXPECT_THAT(read->signing_secrets.at("acme"), ElementsAre(signing_a));
  EXPECT_EQ(read->cloud_tasks.credentials, "{}");
}

TEST(OpenTargets, NeedsTheFilesThatAreNamed) {
  DispatchOptions options;
  options.signing_secrets_file = "/no/such/file";
  EXPECT_THAT(read_dispatch_options(options, no_variable).error().message,
              HasSubstr("dispatch.signing_secrets_file: cannot read '/no/such/file'"));
}

TEST(OpenTargets, ReadsTheNetworksThatAreAllowed) {
  DispatchOptions options;
  options.allowed_networks = "10.0.0.0/8";
  EXPECT_THAT(read_dispatch_options(options, no_variable)->limits.allowed_networks,
              ElementsAre(IpNetwork::parse("10.0.0.0/8").value()));
}

}  // namespace
}  // namespace semel::server
