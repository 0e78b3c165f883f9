#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "semel/status.hpp"
#include "semel/time.hpp"

namespace semel {

/// Thrown by a task's handler, or by a workflow, to say more than that it failed:
///
///   throw semel::Failure("card_declined", "the bank said no").not_retryable();
///
/// Any other exception is a failure of the type "exception", which is tried again.
class Failure : public std::runtime_error {
 public:
  Failure(std::string type, const std::string& message) : std::runtime_error(message), type_(std::move(type)) {}

  /// The same input would fail again: no further attempt is made.
  Failure& not_retryable() {
    retryable_ = false;
    return *this;
  }
  /// When to try again, instead of the pause that the task's settings say.
  Failure& retry_after(Duration pause) {
    retry_after_ = pause;
    return *this;
  }
  /// Any JSON text, for people and programs that look at the task.
  Failure& details(std::string json) {
    details_ = std::move(json);
    return *this;
  }

  const std::string& type() const noexcept { return type_; }
  bool is_retryable() const noexcept { return retryable_; }
  std::optional<Duration> pause() const noexcept { return retry_after_; }
  const std::string& details() const noexcept { return details_; }

 private:
  std::string type_;
  bool retryable_ = true;
  std::optional<Duration> retry_after_;
  std::string details_;
};

/// A task, a workflow or a promise that was waited for has closed without success.
class ExecutionFailed : public std::runtime_error {
 public:
  /// `error` is JSON text: {"type", "message", …}.
  ExecutionFailed(Status status, std::string error);

  Status status() const noexcept { return status_; }
  /// What the handler called it: "card_declined"; of the engine's own, codes such as "IDEMPOTENCY_KEY_CONFLICT".
  const std::string& type() const noexcept { return type_; }
  /// The whole error, as JSON text.
  const std::string& error() const noexcept { return error_; }

 private:
  Status status_;
  std::string type_;
  std::string error_;
};

/// The server says no: what was asked for cannot be done so. `code` is one of docs/errors.
class RequestRefused : public std::runtime_error {
 public:
  RequestRefused(std::string code, const std::string& message) : std::runtime_error(message), code_(std::move(code)) {}

  const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

/// The server could not be asked, for as long as the client's options say. What was asked for may have happened; asking
/// again with the same key is safe.
class ServerUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// JSON does not fit the type that it should become.
class ConversionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace semel
