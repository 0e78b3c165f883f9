#include "dispatch/access_tokens.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <utility>

#include "base/url.hpp"
#include "dispatch/answer.hpp"
#include "dispatch/json_texts.hpp"

namespace semel::dispatch {
namespace {

constexpr Duration asked_before = 5min;  // a new one is asked for, while the old is still used
constexpr Duration used_until = 30s;     // before its end: a request needs some time to arrive

constexpr std::string_view grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";

/// The seconds that a token is good for; 0 when that is no number.
std::int64_t seconds_of(const std::string& text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return error == std::errc{} && end == text.data() + text.size() && seconds > 0 ? seconds : 0;
}

std::string why_not(const http_client::Outcome& outcome) {
  if (!outcome) return fmt::format("no access token: {}", outcome.error().message);
  return fmt::format("no access token: {} {}", outcome->status, excerpt(outcome->body));
}

}  // namespace

AccessTokens::AccessTokens(ServiceAccount account, std::string token_url, std::function<Time()> now, Fetch fetch)
    : account_(std::move(account)),
      token_url_(token_url.empty() ? account_.token_url() : std::move(token_url)),
      now_(std::move(now)),
      fetch_(std::move(fetch)) {}

void AccessTokens::get(Got got) {
  const Time now = now_();
  const bool is_usable = held_ && now < held_->expires_at - used_until;
  if (!is_usable) waiting_.push_back(got);
  if (!is_asking_ && (!held_ || now >= held_->expires_at - asked_before)) ask();
  if (is_usable) got(held_->token);
}

void AccessTokens::forget(const std::string& token) {
  if (held_ && held_->token == token) held_.reset();
}

void AccessTokens::ask() {
  is_asking_ = true;
  http_client::Call call;
  call.method = "POST";
  call.target = parse_http_url(token_url_).value().target;
  call.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  call.body = std::string(grant) + account_.assertion(token_url_, now_());
  fetch_(std::move(call), [this](const http_client::Outcome& outcome) { answered(outcome); });
}

void AccessTokens::answered(const http_client::Outcome& outcome) {
  is_asking_ = false;
  Token token = tl::unexpected(why_not(outcome));
  if (outcome && outcome->status == 200) {
    std::map<std::string, std::string> texts = texts_of(outcome->body);
    const std::int64_t seconds = seconds_of(texts["expires_in"]);
    if (!texts["access_token"].empty() && seconds > 0) {
      held_ = Held{texts["access_token"], now_() + std::chrono::seconds(seconds)};
      token = held_->token;
    } else {
      token = tl::unexpected(std::string("no access token: the answer has none"));
    }
  }
  for (const Got& got : std::exchange(waiting_, {})) got(token);
}

}  // namespace semel::dispatch
