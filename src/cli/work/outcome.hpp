#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "cli/client/transport.hpp"

namespace semel::cli::work {

/// What is left of a handler that has ended.
struct Remains {
  int exit_code = 0;
  int signal = 0;  // that killed it; 0 if it ended by itself
  std::string output = {};
  bool output_is_cut = false;  // there was more than a result may have
  std::string errors = {};     // the last lines, as UTF-8
};

/// What a handler's output is.
enum class OutputForm : std::uint8_t { json, text };

/// Exit codes of handlers that mean more than "failed", as sysexits.h has them.
namespace handler_exit {
inline constexpr int data_error =
    65;  // EX_DATAERR: the same context would fail again; 75, EX_TEMPFAIL, is as any other
}  // namespace handler_exit

struct Failure {
  std::string type = {};
  std::string message = {};
  std::string details = {};  // JSON; "" if there are none
  bool retryable = true;
  std::optional<Duration> retry_after = {};  // instead of the pause that the task says
};

/// Completed, perhaps with a result, or failed.
struct Outcome {
  std::optional<std::string> result = {};  // JSON
  std::optional<Failure> failure = {};
};

/// What a handler that ended by itself has come to (docs/reference/cli.md has the table).
Outcome outcome_of(const Remains& remains, OutputForm form);

// Of handlers that were not let to end by themselves.
Failure cancelled(const Remains& remains);
Failure worker_stopped();
Failure cannot_start(std::string why);
/// The server did not take the result.
Failure result_refused(std::string_view why);

/// As an element of `outcomes`: {"attempt_id", "complete": {…}} or {"attempt_id", "fail": {…}}.
std::string outcome_element(const std::string& attempt_id, const Outcome& outcome);
/// POST /v1/attempts/{id}/complete or …/fail.
HttpCall outcome_call(const std::string& attempt_id, const Outcome& outcome);

}  // namespace semel::cli::work
