#include "domain/dispatch_token.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/base64.hpp"
#include "base/hmac.hpp"

namespace semel::domain {
namespace {

constexpr std::string_view prefix = "sdt1_";

/// None of the parts has a space: names of tenants and ids have none.
std::string text_of(const DispatchGrant& grant) {
  return fmt::format("{} {} {} {}", grant.tenant, grant.task.text(), grant.attempt.text(), to_ms(grant.expires_at));
}

std::string_view take_part(std::string_view& text) {
  const std::size_t space = text.find(' ');
  const std::string_view part = text.substr(0, space);
  text = space == std::string_view::npos ? "" : text.substr(space + 1);
  return part;
}

std::optional<DispatchGrant> read_grant(std::string_view text) {
  DispatchGrant grant;
  grant.tenant = take_part(text);
  const std::optional<ExecutionId> task = ExecutionId::parse(take_part(text));
  const std::optional<AttemptId> attempt = AttemptId::parse(take_part(text));
  std::int64_t expires_ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expires_ms);
  if (!task || !attempt || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  grant.task = *task;
  grant.attempt = *attempt;
  grant.expires_at = from_ms(expires_ms);
  return grant;
}

/// Made for this purpose only: what else the key signs is no token.
Hash32 seal_of(const Hash32& key, std::string_view text) {
  return hmac_sha256(as_text(key), fmt::format("semel dispatch token 1\n{}", text));
}

}  // namespace

std::string make_dispatch_token(const Hash32& key, const DispatchGrant& grant) {
  const std::string text = text_of(grant);
  return fmt::format("{}{}.{}", prefix, to_base64url(text), to_base64url(as_text(seal_of(key, text))));
}

Result<DispatchGrant> check_dispatch_token(const Hash32& key, std::string_view token, Time now) {
  const auto refused = [] { return refuse(ErrorCode::unauthorized, "this is not a valid token of a dispatched task"); };
  if (!token.starts_with(prefix)) return refused();
  token.remove_prefix(prefix.size());
  const std::size_t dot = token.find('.');
  if (dot == std::string_view::npos) return refused();
  const std::optional<std::string> text = from_base64url(token.substr(0, dot));
  const std::optional<std::string> seal = from_base64url(token.substr(dot + 1));
  if (!text || !seal || !is_same_secret(*seal, as_text(seal_of(key, *text)))) return refused();
  std::optional<DispatchGrant> grant = read_grant(*text);
  if (!grant) return refused();
  if (grant->expires_at <= now) return refuse(ErrorCode::unauthorized, "the token of this dispatched task has expired");
  return *std::move(grant);
}

}  // namespace semel::domain
