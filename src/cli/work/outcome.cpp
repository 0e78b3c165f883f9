#include "cli/work/outcome.hpp"

#include <cstring>

#include "base/json/reader.hpp"
#include "base/json/writer.hpp"
#include "base/utf8.hpp"
#include "cli/client/query.hpp"
#include "domain/names.hpp"

namespace semel::cli::work {
namespace {

constexpr std::size_t result_bytes_max = domain::limits::context_bytes_max;  // as api/codec/worker_request.cpp has it

/// "SIGKILL"; a signal without a name as "signal 40".
std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string with_errors(std::string message, const std::string& errors) {
  return errors.empty() ? message : std::move(message) + "\n" + errors;
}

Failure killed(const Remains& remains) {
  const std::string message = fmt::format("the handler was killed by {}", signal_name(remains.signal));
  return {.type = "killed",
          .message = with_errors(message, remains.errors),
          .details = fmt::format(R"({{"signal":{}}})", remains.signal)};
}

Failure exited(const Remains& remains) {
  std::string message = remains.errors;
  if (message.empty())
    message = fmt::format("the handler ended with exit code {} and wrote nothing to standard error", remains.exit_code);
  return {.type = "exit_code",
          .message = std::move(message),
          .details = fmt::format(R"({{"exit_code":{}}})", remains.exit_code),
          .retryable = remains.exit_code != handler_exit::data_error};
}

/// The handler has done its work, and would probably print the same again: it is not run again for that.
Outcome bad_output(std::string message) {
  return {.failure = Failure{.type = "bad_output", .message = std::move(message), .retryable = false}};
}

Outcome too_long() {
  return bad_output(fmt::format("the handler's output is longer than a result may be, {} bytes", result_bytes_max));
}

/// The result is what the server would take: checked as it checks, sent as it was written.
Outcome completed_with_json(std::string_view output) {
  json::Reader reader(output);
  std::string canonical;
  const Result<std::string_view> value = reader.read_canonical(canonical);
  const Result<void> end = value ? reader.expect_end() : Result<void>{};
  if (!value || !end) {
    return bad_output(
        fmt::format("the handler's output is not JSON: {}; print JSON, print nothing, or start the worker with --text",
                    value ? end.error().message : value.error().message));
  }
  return {.result = std::string(*value)};
}

Outcome completed_with_text(std::string_view output) {
  if (!is_utf8(output)) return bad_output("the handler's output is not UTF-8 text");
  std::string quoted = json::quote(output);
  return quoted.size() > result_bytes_max ? too_long() : Outcome{.result = std::move(quoted)};
}

std::string_view without_end(std::string_view text, std::string_view dropped) {
  const std::size_t last = text.find_last_not_of(dropped);
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string_view verb_of(const Outcome& outcome) { return outcome.failure ? "fail" : "complete"; }

std::string body_of(const Outcome& outcome) {
  json::Writer body;
  body.begin_object();
  if (outcome.failure) {
    const Failure& failure = *outcome.failure;
    body.key("error").begin_object().string("type", failure.type).string("message", failure.message);
    if (!failure.details.empty()) body.raw("details", failure.details);
    body.end_object();
    if (!failure.retryable) body.boolean("retryable", false);
    if (failure.retry_after) body.integer("retry_after_ms", failure.retry_after->count());
  } else if (outcome.result) {
    body.raw("result", *outcome.result);
  }
  return body.end_object().take();
}

}  // namespace

Outcome outcome_of(const Remains& remains, OutputForm form) {
  if (remains.signal != 0) return {.failure = killed(remains)};
  if (remains.exit_code != 0) return {.failure = exited(remains)};
  if (remains.output_is_cut || remains.output.size() > result_bytes_max) return too_long();
  const bool is_text = form == OutputForm::text;
  const std::string_view output = without_end(remains.output, is_text ? "\n" : " \t\r\n");
  if (output.empty()) return {};
  return is_text ? completed_with_text(output) : completed_with_json(output);
}

Failure cancelled(const Remains& remains) {
  return {.type = "cancelled",
          .message = with_errors("the handler was stopped because the task was cancelled", remains.errors),
          .retryable = false};
}

Failure worker_stopped() {
  return {.type = "worker_stopped",
          .message = "the worker was stopped before the handler had ended; another may take the task at once",
          .retry_after = Duration{0}};
}

Failure cannot_start(std::string why) { return {.type = "cannot_start", .message = std::move(why)}; }

Failure result_refused(std::string_view why) {
  return *bad_output(fmt::format("the server did not take the result: {}", why)).failure;
}

std::string outcome_element(const std::string& attempt_id, const Outcome& outcome) {
  json::Writer element;
  element.begin_object().string("attempt_id", attempt_id);
  return element.raw(verb_of(outcome), body_of(outcome)).end_object().take();
}

HttpCall outcome_call(const std::string& attempt_id, const Outcome& outcome) {
  return {.method = "POST",
          .target = fmt::format("/v1/attempts/{}/{}", percent_encode(attempt_id), verb_of(outcome)),
          .body = body_of(outcome)};
}

}  // namespace semel::cli::work
