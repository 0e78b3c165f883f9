#include "domain/webhook.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace semel::domain {
namespace {

// The vector that the libraries of Standard Webhooks test themselves with.
TEST(Webhook, IsSignedAsTheStandardsOwnVector) {
  const std::vector<std::string> keys{parse_webhook_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").value()};
  const WebhookMessage message{"msg_p5jXN8AQM9LWM0D4loKWxJek", from_ms(1'614'265'330'000), R"({"test": 2432232314})"};

  EXPECT_EQ(webhook_signature(keys, message), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Webhook, IsSignedWithEveryKey) {
  const std::vector<std::string> keys{std::string(24, 'a'), std::string(24, 'b')};
  const WebhookMessage message{"d_1", from_ms(1'000), "{}"};

  const std::string both = webhook_signature(keys, message);

  EXPECT_EQ(both, webhook_signature(std::span(keys).first(1), message) + " " +
                      webhook_signature(std::span(keys).last(1), message));
  EXPECT_EQ(webhook_signature({}, message), "");
}

TEST(Webhook, HasItsTimeInWholeSeconds) { EXPECT_EQ(webhook_timestamp(from_ms(1'614'265'330'999)), "1614265330"); }

TEST(Webhook, TakesSecretsOfTheStandardOnly) {
  EXPECT_EQ(parse_webhook_secret("whsec_" + std::string(32, 'A'))->size(), 24U);
  EXPECT_EQ(parse_webhook_secret("whsec_" + std::string(84, 'A') + "AA==")->size(), 64U);
  for (const std::string& text :
       {std::string(), std::string("whsec_"), std::string(32, 'A'), "whsec_" + std::string(28, 'A'),
        "whsec_" + std::string(88, 'A'), "whsec_" + std::string(31, 'A') + "-"}) {
    const Result<std::string> key = parse_webhook_secret(text);
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().message, "a signing secret is whsec_ and the base64 of 24 to 64 bytes");
  }
}

}  // namespace
}  // namespace semel::domain
