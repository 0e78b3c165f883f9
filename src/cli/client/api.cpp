#include "cli/client/api.hpp"

#include <algorithm>

namespace semel::cli {
namespace {

constexpr Duration first_pause = 200ms;
constexpr int doublings_max = 4;

bool is_worth_repeating(const Result<HttpReply>& reply) {
  return !reply || reply->status == 503 || reply->status == 429;
}

std::optional<Duration> asked_for(const Result<HttpReply>& reply) { return reply ? reply->retry_after : std::nullopt; }

}  // namespace

Duration pause_before_retry(int number, std::optional<Duration> asked_for) {
  return asked_for.value_or(first_pause * (1 << std::min(number, doublings_max)));
}

Result<HttpReply> Api::call(const HttpCall& call, Repeat repeat) {
  Result<HttpReply> reply = transport_.send(call);
  if (repeat == Repeat::never) return reply;
  for (int retry = 0; retry < options_.retries && is_worth_repeating(reply); ++retry) {
    const Duration length = pause_before_retry(retry, asked_for(reply));
    if (length > retry_after_max) break;
    options_.pause(length);
    reply = transport_.send(call);
  }
  return reply;
}

}  // namespace semel::cli
