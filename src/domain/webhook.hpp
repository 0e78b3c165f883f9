#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace semel::domain {

/// The key of a secret "whsec_" + base64 of 24 to 64 bytes, as Standard Webhooks 1.0 writes it.
Result<std::string> parse_webhook_secret(std::string_view text);

/// What is signed: who sends again sends the same id, and the time of sending.
struct WebhookMessage {
  std::string_view id;
  Time sent_at;
  std::string_view body;
};

/// The header webhook-timestamp: whole seconds.
std::string webhook_timestamp(Time sent_at);

/// The header webhook-signature: "v1,BASE64" for each key, separated by spaces, so that a receiver may know the old or
/// the new one while they are changed.
std::string webhook_signature(std::span<const std::string> keys, const WebhookMessage& message);

}  // namespace semel::domain
