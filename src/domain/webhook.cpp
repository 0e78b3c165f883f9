#include "domain/webhook.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/base64.hpp"
#include "base/hmac.hpp"

namespace semel::domain {
namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t secret_bytes_min = 24;
constexpr std::size_t secret_bytes_max = 64;

}  // namespace

Result<std::string> parse_webhook_secret(std::string_view text) {
  // The text is not in the message: it would be in logs then.
  const auto refused = [] { return bad_request("a signing secret is whsec_ and the base64 of 24 to 64 bytes"); };
  if (!text.starts_with(secret_prefix)) return refused();
  std::optional<std::string> key = from_base64(text.substr(secret_prefix.size()));
  if (!key || key->size() < secret_bytes_min || key->size() > secret_bytes_max) return refused();
  return *std::move(key);
}

std::string webhook_timestamp(Time sent_at) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(sent_at).time_since_epoch().count());
}

std::string webhook_signature(std::span<const std::string> keys, const WebhookMessage& message) {
  const std::string text = fmt::format("{}.{}.{}", message.id, webhook_timestamp(message.sent_at), message.body);
  std::string signature;
  for (const std::string& key : keys) {
    if (!signature.empty()) signature += ' ';
    signature += "v1," + to_base64(as_text(hmac_sha256(key, text)));
  }
  return signature;
}

}  // namespace semel::domain
