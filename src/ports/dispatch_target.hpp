#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "domain/dispatch_id.hpp"
#include "ports/outcome.hpp"

namespace semel {

/// One attempt of a task, to be pushed to where its queue's target says. Sending the same order again is safe as far as
/// the target knows its identifiers: all of them are the same each time.
struct DispatchOrder {
  std::string target{};        // of the queue: "https://…", "cloudtasks://projects/…"
  Lease lease{};               // what a worker that polls would have got, with the attempt's id and number
  domain::DispatchIds ids;     // of this dispatch, with its repair suffix if it has one
  std::string callback_url{};  // "https://semel.example/v1/dispatches/d_…": "/started", "/completed" … are appended
  std::string token{};         // that the callbacks must show (domain/dispatch_token.hpp)
  Time due{};                  // not before; a target that can wait is told so, others are sent to at once
  std::optional<Duration> answer_time{};  // how long the answer may take; absent = what the server is set to
};

/// The target has the task, and will call back.
struct SendAccepted {
  bool is_deduplicated = false;  // it had it already: 409, ALREADY_EXISTS

  bool operator==(const SendAccepted&) const = default;
};

/// The target has done the task, and this is its result.
struct SendCompleted {
  std::optional<std::string> result{};  // JSON text; absent = nothing was returned

  bool operator==(const SendCompleted&) const = default;
};

/// The target will not take the task however often it is sent. The attempt has failed.
struct SendRefused {
  int status = 0;        // of HTTP; 0: there was no answer, and `why` says what is wrong with the target
  std::string why{};     // for people
  std::string answer{};  // the beginning of the body, valid UTF-8

  bool operator==(const SendRefused&) const = default;
};

/// The target does not have the task now, and may be asked again: nothing was sent, or it said so (408, 425, 429, 5xx).
struct SendLater {
  std::optional<Duration> retry_after{};  // what it asked for
  int status = 0;                         // 0: it was not reached
  std::string why{};

  bool operator==(const SendLater&) const = default;
};

/// The request was begun, and nobody knows what became of it. To be sent again with the same identifiers.
struct SendUnknown {
  std::string why{};

  bool operator==(const SendUnknown&) const = default;
};

using SendAnswer = std::variant<SendAccepted, SendCompleted, SendRefused, SendLater, SendUnknown>;

/// Where tasks are pushed to: all targets behind one door, which finds the right one by its url. Callable from any
/// thread.
class DispatchTargets {
 public:
  using Done = std::function<void(SendAnswer)>;

  virtual ~DispatchTargets() = default;

  /// Whether a queue may have this target: its form, and what the server needs for it. Asks nobody else.
  virtual Result<void> check(std::string_view target) const = 0;

  /// Sends without waiting. `done` is called exactly once, on a thread of the targets and never from here; it must not
  /// wait for anything. Orders beyond what connections a target may have wait for one: the caller bounds how many.
  virtual void send(DispatchOrder order, Done done) = 0;

  /// How long a send may take at most beside `answer_time`: until a connection is there, and for all else that is done
  /// before and after the target thinks. What was not begun within its time is answered with Later.
  virtual Duration overhead_max() const = 0;

  /// Ends what is under way (Later where nothing was sent, else Unknown) and returns when all `done` have returned.
  /// What is sent after that is answered with Later, on the thread that sends.
  virtual void close() = 0;
};

}  // namespace semel
