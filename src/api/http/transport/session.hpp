#pragma once
#include <boost/asio/basic_waitable_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/transport/common.hpp"
#include "api/http/transport/exchange.hpp"
#include "api/http/transport/outbox.hpp"
#include "api/http/transport/request_reader.hpp"
#include "api/http/transport/socket.hpp"
#include "api/http/transport/stream.hpp"

namespace semel::http {

using Clock = std::chrono::steady_clock;
using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Executor>;

/// One connection: reads a request, hands it to the handler, writes the answer, and again. Everything but
/// run_later and the Conversation is called on its thread, the one that runs the context of its socket.
///
/// It is a state machine of callbacks rather than a coroutine, because the parser is one too: bytes are
/// pushed in as they come, and what they cause is a step from phase to phase. Reads and writes are plain
/// non-blocking calls made when the socket is ready: into a buffer on the stack, so that an idle connection
/// owns none, and straight after the handler, so that hardly any answer has to wait.
class Session final : public Conversation, public std::enable_shared_from_this<Session> {
 public:
  /// `context` is the one of the socket.
  Session(std::shared_ptr<Common> common, std::shared_ptr<Context> context, Socket socket);

  /// Runs one of the four below on the session's thread. Callable from any thread.
  void run_later(void (Session::*step)());
  void start();
  /// Tells the client that all seats are taken, and closes.
  void turn_away();
  /// Closes an idle connection at once, any other after its answer.
  void wind_up();
  void close();

  void answer_later(std::uint64_t number, std::optional<Response> response) override;
  void watch_later(std::uint64_t number) override;

 private:
  enum class Phase {
    handshake,  // of TLS
    idle,       // no byte of a request is there
    head,       // some are
    body,       // the head has been accepted
    handling,   // the handler has the request
    writing,    // the answer, or a piece of it, waits for the socket
    feeding,    // the answer goes on, but there is nothing to send now
    draining,   // the answer is out, but the client may still be sending: closing now would reset it away
    closed,
  };

  bool is_reading_request() const { return phase_ >= Phase::idle && phase_ <= Phase::body; }

  // Input
  void shake_hands();
  /// A read of TLS may have to wait for the other direction.
  void wait_readable(Socket::wait_type direction = Socket::wait_read);
  void on_readable();
  void on_end(bool is_orderly);
  void on_bytes(std::string_view bytes);
  void consume(std::string_view& bytes);
  void watch_client();
  void consume_pending();
  void await_next();

  // One request
  void begin_request();
  void on_head();
  void on_request();
  void on_answer(std::uint64_t number, std::optional<Response> response);
  void on_watch(std::uint64_t number);

  // An answer that goes on: session_feed.cpp
  void begin_feed(std::shared_ptr<Feed> feed);
  void wake_feed(std::uint64_t number);
  void feed_more();
  void keep_feed_alive();
  void send_piece(std::string piece, bool goes_on);

  // Output
  void refuse(const Refusal& refusal);
  void answer(Response response);
  void write_continue();
  void write_more();
  void on_written();
  void begin_drain();

  // Time
  Duration phase_limit() const;
  void set_deadline(Duration limit);
  void arm_timer();
  void on_timer();
  void on_deadline();

  /// A callback that keeps the session alive and closes it if `step` throws; an error code that is passed to
  /// it ends the chain.
  template <typename Step>
  auto callback(Step step);

  const std::shared_ptr<Common> common_;
  const std::shared_ptr<Context> context_;  // outlives the stream and the timer
  Stream stream_;
  Timer timer_;
  bool is_loopback_ = false;

  Phase phase_ = Phase::idle;
  std::optional<Phase> timed_phase_;  // the phase that the deadline is of
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point timer_due_ = Clock::time_point::max();  // of the pending wait
  bool is_waiting_readable_ = false;

  RequestReader reader_;
  std::string pending_;  // read from the socket, but not yet by the reader
  Request request_;      // from its head to the handler
  ResponseFrame frame_;  // of the answer; its request_id is a view of request_id_
  std::string request_id_;
  bool is_unread_ = false;  // the answer comes before the request's end
  bool may_drain_ = true;
  std::size_t drained_bytes_ = 0;

  std::uint64_t number_ = 0;  // of the request; an answer to any other comes too late
  std::weak_ptr<Exchange> exchange_;
  std::shared_ptr<Feed> feed_;  // of an answer that goes on
  Outbox outbox_;
};

}  // namespace semel::http
