#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "api/http/transport/message.hpp"

namespace semel::http {

/// The connection's side of an exchange. Callable from any thread; calls for a request that is over do
/// nothing.
class Conversation {
 public:
  virtual ~Conversation() = default;
  /// Sends the answer to the request of that number; without one, the handler has dropped the request.
  virtual void answer_later(std::uint64_t number, std::optional<Response> response) = 0;
  /// Begins to look out for the client's leaving.
  virtual void watch_later(std::uint64_t number) = 0;
};

/// One request and its answer: what the handler holds, through Respond and Liveness, after handle() returned.
/// It does not keep the connection alive, and the connection does not keep it: when the handler lets go of an
/// exchange without an answer, the client gets 500. Callable from any thread.
class Exchange final : public Liveness {
 public:
  Exchange(std::weak_ptr<Conversation> conversation, std::uint64_t number);
  ~Exchange() override;

  void respond(Response response);
  void on_gone(std::function<void()> callback) override;

  /// What the handler did while handle() ran; from now on it is told to the conversation at once.
  struct Outcome {
    std::optional<Response> response;
    bool wants_watch = false;
  };
  Outcome leave_handler();

  /// The client has gone: tells the handler, unless it has answered.
  void gone();

 private:
  const std::weak_ptr<Conversation> conversation_;
  const std::uint64_t number_;
  std::mutex mutex_;  // guards what follows
  bool in_handler_ = true;
  bool answered_ = false;
  bool gone_ = false;
  std::optional<Response> response_;  // given while in the handler
  std::function<void()> on_gone_;
};

}  // namespace semel::http
