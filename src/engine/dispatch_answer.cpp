#include "engine/dispatch_answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/text.hpp"
#include "base/utf8.hpp"

namespace semel::engine {
namespace {

/// What a target that cannot be reached says of itself should fit into a row.
constexpr std::size_t answer_bytes_max = 500;

struct Name {
  std::string_view operator()(const SendAccepted& accepted) const {
    return accepted.is_deduplicated ? "deduplicated" : "accepted";
  }
  std::string_view operator()(const SendCompleted&) const { return "completed"; }
  std::string_view operator()(const SendRefused&) const { return "refused"; }
  std::string_view operator()(const SendLater&) const { return "later"; }
  std::string_view operator()(const SendUnknown&) const { return "unknown"; }
};

struct Why {
  std::string_view operator()(const SendAccepted&) const { return {}; }
  std::string_view operator()(const SendCompleted&) const { return {}; }
  template <typename Trouble>
  std::string_view operator()(const Trouble& trouble) const {
    return trouble.why;
  }
};

std::string error_of(const SendRefused& refused) {
  std::string error = fmt::format(R"({{"type":"DISPATCH_REFUSED","message":{})", json::quote(refused.why));
  if (refused.status != 0) error += fmt::format(R"(,"status":{})", refused.status);
  if (!refused.answer.empty()) error += fmt::format(R"(,"answer":{})", json::quote(refused.answer));
  return error + "}";
}

struct Following {
  const Lease& lease;
  const DispatchRules& rules;

  const std::string& tenant() const { return lease.execution.spec.tenant; }

  Command operator()(const SendAccepted& accepted) const {
    Heartbeat beat{tenant(), lease.attempt_id, rules.heartbeat_timeout};
    beat.accepted = std::string(Name{}(accepted));
    beat.repair = lease.dispatch->repair;
    return beat;
  }
  Command operator()(const SendCompleted& completed) const {
    return Complete{tenant(), lease.attempt_id, completed.result};
  }
  Command operator()(const SendRefused& refused) const {
    Fail fail{tenant(), lease.attempt_id, error_of(refused)};
    fail.repair = lease.dispatch->repair;
    return fail;
  }
  Command operator()(const SendLater& later) const { return again(false, later.why, later.retry_after); }
  Command operator()(const SendUnknown& unknown) const { return again(true, unknown.why, std::nullopt); }

  /// Whoever names a pause gets it, within bounds: a target cannot put a task off for ever.
  Command again(bool is_ambiguous, const std::string& why, std::optional<Duration> asked) const {
    Duration pause = domain::jittered_pause_after(rules.again, lease.dispatch->sends, lease.attempt_id);
    if (asked) pause = std::clamp<Duration>(*asked, Duration{0}, 60 * rules.again.cap);
    return PostponeDispatch{tenant(),
                            lease.attempt_id,
                            is_ambiguous,
                            pause,
                            std::string(utf8_prefix(why, answer_bytes_max)),
                            lease.dispatch->repair};
  }
};

}  // namespace

std::string_view name_of(const SendAnswer& answer) { return std::visit(Name{}, answer); }

std::string_view trouble_of(const SendAnswer& answer) { return std::visit(Why{}, answer); }

Command what_follows(const Lease& lease, const SendAnswer& answer, const DispatchRules& rules) {
  return std::visit(Following{lease, rules}, answer);
}

}  // namespace semel::engine
