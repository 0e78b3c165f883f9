#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/client/transport.hpp"

namespace semel::cli::work {

/// Decides whether a call is sent again, and when. All calls of a worker share one, so that an outage is told once, and
/// not by every call and every try.
class Patience {
 public:
  explicit Patience(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {}

  /// How long to wait before the call is sent again; nothing when it has got its answer, good or bad. `failures` are
  /// those of the call in a row, and are counted here.
  std::optional<Duration> pause_after(const Result<HttpReply>& reply, int& failures);

 private:
  const std::function<void(const std::string&)> tell_;
  bool has_told_ = false;
};

}  // namespace semel::cli::work
