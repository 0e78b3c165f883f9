#pragma once
#include <functional>
#include <memory>

#include "http_client/call.hpp"
#include "http_client/peer.hpp"

namespace boost::asio {
class io_context;
}

namespace semel::http_client {

/// One connection to a server, made with the first call and kept alive. It waits for nothing: what happens, happens on
/// the loop, to whose thread it belongs. Answers are as the server gave them; redirects are not followed. The only code
/// that knows Beast and TLS of clients.
class Connection {
 public:
  using Done = std::function<void(Outcome)>;

  Connection(boost::asio::io_context& loop, std::shared_ptr<const Peer> peer);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// One call at a time. `done` is called from the loop, never from here.
  void send(Call call, Done done);

  /// Hangs up. If a call is under way, its `done` is not called, and whether it was carried out is not known.
  void abandon();

  /// Whether a call is under way of which something was sent.
  bool is_begun() const;

  /// Whether it is connected, as far as can be seen without asking: a server may close what nobody uses.
  bool is_open();

  /// Tells the server that nobody waits for the call any longer, yet leaves the way open for an answer that was already
  /// made. False where that cannot be said: then the call is abandoned.
  bool stop_waiting();

 private:
  class Chain;
  boost::asio::io_context& loop_;
  const std::shared_ptr<const Peer> peer_;
  std::shared_ptr<Chain> chain_;  // shared with its operations, which end after it was hung up
};

}  // namespace semel::http_client
