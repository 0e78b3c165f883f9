#include "cli/work/patience.hpp"

#include <algorithm>

#include "cli/client/api.hpp"
#include "cli/client/refusal.hpp"

namespace semel::cli::work {
namespace {

bool is_answer(const Result<HttpReply>& reply) {
  return reply && reply->status < 500 && reply->status != 429 && reply->status != 408;
}

}  // namespace

std::optional<Duration> Patience::pause_after(const Result<HttpReply>& reply, int& failures) {
  if (is_answer(reply)) {
    failures = 0;
    if (std::exchange(has_told_, false)) tell_("the server answers again");
    return std::nullopt;
  }
  ++failures;
  // A connection that the server has closed while it was idle is found out by the next call: no outage, and no pause.
  if (!reply && failures == 1) return Duration{0};
  if (!std::exchange(has_told_, true)) tell_(explain_refusal(reply) + "; trying again until it answers");
  if (!reply) return pause_before_retry(failures - 2, std::nullopt);
  return std::min(pause_before_retry(failures - 1, reply->retry_after), retry_after_max);
}

}  // namespace semel::cli::work
