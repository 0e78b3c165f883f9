#include "api/http/transport/session.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "api/http/transport/head_check.hpp"
#include "base/ensure.hpp"

namespace semel::http {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;

constexpr std::size_t read_bytes = 32 * 1024;
constexpr std::size_t standing_max = 256;  // sessions without a seat that are drained; more are just closed

}  // namespace

Session::Session(std::shared_ptr<Common> common, std::shared_ptr<Context> context, Socket socket)
    : common_(std::move(common)),
      context_(std::move(context)),
      stream_(std::move(socket), common_->tls ? &*common_->tls : nullptr),
      timer_(stream_.socket().get_executor()),
      reader_(common_->options.header_bytes_max) {}

template <typename Step>
auto Session::callback(Step step) {
  return [self = shared_from_this(), step](const Error& error = {}) {
    if (error == asio::error::operation_aborted || self->phase_ == Phase::closed) return;
    try {
      step(*self);
    } catch (const std::exception&) {  // out of memory: this connection's loss, not the server's
      self->close();
    }
  };
}

void Session::run_later(void (Session::*step)()) {
  asio::post(stream_.socket().get_executor(), callback([step](Session& self) { (self.*step)(); }));
}

void Session::start() {
  Error ignored;
  Socket& socket = stream_.socket();
  socket.non_blocking(true, ignored);
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  const auto peer = socket.remote_endpoint(ignored).address();
  is_loopback_ = peer.is_loopback() || (peer.is_v6() && peer.to_v6().is_v4_mapped() &&
                                        asio::ip::make_address_v4(asio::ip::v4_mapped, peer.to_v6()).is_loopback());
  if (common_->is_stopping) return close();
  if (!stream_.is_tls()) return await_next();
  phase_ = Phase::handshake;
  set_deadline(phase_limit());
  shake_hands();
}

void Session::turn_away() {
  if (stream_.is_tls()) return close();  // telling it would cost the handshake that there is no room for
  may_drain_ = common_->roster.standing() <= standing_max;
  Error ignored;
  stream_.socket().non_blocking(true, ignored);
  refuse(overloaded_refusal(common_->options.connections_max));
  await_next();
}

void Session::wind_up() {
  if (phase_ == Phase::idle || phase_ == Phase::handshake) close();
  if (phase_ == Phase::feeding) feed_more();
}

void Session::close() {
  if (std::exchange(phase_, Phase::closed) == Phase::closed) return;
  const std::shared_ptr<Session> self = shared_from_this();
  stream_.close();
  timer_.cancel();
  feed_.reset();
  common_->roster.leave(self);
  if (const auto exchange = exchange_.lock()) exchange->gone();
}

// ---- input

void Session::shake_hands() {
  switch (stream_.handshake().state) {
    case Transfer::State::done: phase_ = Phase::idle; return await_next();
    case Transfer::State::wait_read: return wait_readable();
    case Transfer::State::wait_write: return wait_readable(Socket::wait_write);
    case Transfer::State::plain_http:
      refuse(bad_request_refusal("this port speaks HTTPS: use https:// in the address"));
      return await_next();
    case Transfer::State::ended:
    case Transfer::State::failed: return close();
  }
}

void Session::wait_readable(Socket::wait_type direction) {
  if (std::exchange(is_waiting_readable_, true)) return;
  stream_.socket().async_wait(direction, callback([](Session& self) {
                                self.is_waiting_readable_ = false;
                                self.on_readable();
                              }));
}

void Session::on_readable() {
  if (phase_ == Phase::handshake) return shake_hands();
  std::array<char, read_bytes> buffer;
  const Transfer transfer = stream_.read(buffer);
  switch (transfer.state) {
    case Transfer::State::done: return on_bytes({buffer.data(), transfer.count});
    case Transfer::State::wait_read: return wait_readable();
    case Transfer::State::wait_write: return wait_readable(Socket::wait_write);
    case Transfer::State::ended: return on_end(true);
    case Transfer::State::plain_http:
    case Transfer::State::failed: return on_end(false);
  }
}

/// The client sends no more. One that waits for its answer is taken for gone, yet gets the answer if there is
/// one.
void Session::on_end(bool is_orderly) {
  if (!is_orderly || is_reading_request() || phase_ == Phase::draining || feed_) return close();
  frame_.closes = true;
  if (const auto exchange = exchange_.lock()) exchange->gone();
}

void Session::on_bytes(std::string_view bytes) {
  if (phase_ == Phase::draining) {
    drained_bytes_ += bytes.size();
    if (drained_bytes_ > common_->options.drain_bytes_max) return close();
    return wait_readable();
  }
  if (is_reading_request() && pending_.empty()) {
    consume(bytes);
    pending_.assign(bytes);
    return await_next();
  }
  pending_.append(bytes);
  if (is_reading_request()) {
    consume_pending();
    return await_next();
  }
  watch_client();
}

/// What comes behind a request whose client is watched is kept, as long as there is room.
void Session::watch_client() {
  const bool is_watched = phase_ == Phase::handling || phase_ == Phase::feeding;
  if (is_watched && pending_.size() < common_->options.header_bytes_max) wait_readable();
}

void Session::consume_pending() {
  std::string_view rest = pending_;
  consume(rest);
  pending_.erase(0, pending_.size() - rest.size());
}

/// Takes whole requests, and what has come of the last, from the front of `bytes`; stops when one has to
/// wait.
void Session::consume(std::string_view& bytes) {
  while (is_reading_request()) {
    if (phase_ == Phase::idle) {
      bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
      if (bytes.empty()) return;
      begin_request();
    }
    switch (reader_.feed(bytes)) {
      case RequestReader::Event::more: return;
      case RequestReader::Event::head: on_head(); break;
      case RequestReader::Event::complete: on_request(); break;
      case RequestReader::Event::refused: refuse(reader_.refusal()); break;
    }
  }
}

/// Waits for what the phase needs, for as long as it may take.
void Session::await_next() {
  if (phase_ == Phase::closed) return;
  if (pending_.empty()) pending_.shrink_to_fit();  // connections may be idle in their thousands
  if (timed_phase_ != phase_) set_deadline(phase_limit());
  if (is_reading_request() || phase_ == Phase::draining) wait_readable();
}

// ---- one request

void Session::begin_request() {
  phase_ = Phase::head;
  reader_.begin();
  frame_ = ResponseFrame();
  request_id_.clear();
}

void Session::on_head() {
  Head& head = reader_.head();
  frame_.is_head = head.method == "HEAD";
  frame_.is_http10 = !head.is_http11;
  frame_.closes = !reader_.keeps_alive();
  if (is_sane_request_id(head.request_id)) request_id_ = head.request_id;
  if (const auto refusal = check_head(head, common_->origins)) return refuse(*refusal);
  const bool expects_continue = head.expects_continue && head.is_http11;
  Result<Request> request = to_request(std::move(head));
  if (!request) return refuse(bad_request_refusal(request.error().message));
  const std::size_t bytes_max = common_->handler.body_bytes_max(request->method, request->path);
  if (!reader_.limit_body(bytes_max)) return refuse(payload_too_large_refusal(bytes_max));
  request_ = *std::move(request);
  phase_ = Phase::body;
  if (expects_continue && reader_.has_body()) write_continue();
}

void Session::on_request() {
  phase_ = Phase::handling;
  if (request_id_.empty()) request_id_ = common_->request_ids.next();
  const auto exchange = std::make_shared<Exchange>(weak_from_this(), ++number_);
  request_.body = std::move(reader_.body());
  request_.request_id = request_id_;
  request_.from_loopback = is_loopback_;
  request_.liveness = exchange;
  try {
    common_->handler.handle(std::move(request_),
                            [exchange](Response response) { exchange->respond(std::move(response)); });
  } catch (...) {
    exchange->respond(to_response(internal_refusal()));
  }
  exchange_ = exchange;
  Exchange::Outcome outcome = exchange->leave_handler();
  if (outcome.response) return answer(*std::move(outcome.response));
  if (outcome.wants_watch) wait_readable();
}

void Session::answer_later(std::uint64_t number, std::optional<Response> response) {
  // The queue of the context holds no session, so that an answer after the server's end keeps nothing alive.
  asio::post(stream_.socket().get_executor(),
             [weak = weak_from_this(), number, response = std::move(response)]() mutable {
               const auto self = weak.lock();
               if (!self) return;
               self->callback([&](Session& session) { session.on_answer(number, std::move(response)); })();
             });
}

void Session::on_answer(std::uint64_t number, std::optional<Response> response) {
  if (phase_ != Phase::handling || number != number_) return;
  answer(response ? *std::move(response) : to_response(internal_refusal()));
  consume_pending();
  await_next();
}

void Session::watch_later(std::uint64_t number) {
  asio::post(stream_.socket().get_executor(), [weak = weak_from_this(), number] {
    const auto self = weak.lock();
    if (!self) return;
    self->callback([number](Session& session) { session.on_watch(number); })();
  });
}

void Session::on_watch(std::uint64_t number) {
  if (phase_ == Phase::handling && number == number_) wait_readable();
}

// ---- output

void Session::refuse(const Refusal& refusal) {
  frame_.closes = true;
  is_unread_ = true;
  answer(to_response(refusal));
}

void Session::answer(Response response) {
  phase_ = Phase::writing;
  if (common_->is_stopping) frame_.closes = true;
  if (request_id_.empty()) request_id_ = common_->request_ids.next();
  frame_.request_id = request_id_;
  if (response.feed && !frame_.is_head) begin_feed(response.feed);
  outbox_.load(std::move(response), frame_);
  write_more();
}

void Session::write_continue() {
  constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
  if (stream_.write(text).count != text.size()) close();
}

void Session::write_more() {
  while (!outbox_.is_empty()) {
    const Transfer transfer = stream_.write(outbox_.first(), outbox_.second());
    const bool waits_to_read = transfer.state == Transfer::State::wait_read;
    if (waits_to_read || transfer.state == Transfer::State::wait_write) {
      return stream_.socket().async_wait(waits_to_read ? Socket::wait_read : Socket::wait_write,
                                         callback([](Session& self) {
                                           self.write_more();
                                           self.consume_pending();
                                           self.await_next();
                                         }));
    }
    if (transfer.state != Transfer::State::done) return close();
    outbox_.sent(transfer.count);
  }
  on_written();
}

void Session::on_written() {
  timed_phase_.reset();
  outbox_.clear();
  if (feed_) return run_later(&Session::feed_more);  // later: a client that reads fast must not keep the thread
  const bool closes = frame_.closes || common_->is_stopping;
  if (closes && is_unread_ && may_drain_) return begin_drain();
  if (closes) return close();
  phase_ = Phase::idle;
}

/// Sends the end of the stream after the answer, so that the client knows, and reads what it still sends.
void Session::begin_drain() {
  phase_ = Phase::draining;
  stream_.end_writing();
}

// ---- time

Duration Session::phase_limit() const {
  const ServerOptions& options = common_->options;
  switch (phase_) {
    case Phase::handshake: return options.handshake_time_max;
    case Phase::idle: return options.idle_time_max;
    case Phase::head: return options.header_time_max;
    case Phase::body: return options.body_time_max;
    case Phase::writing: return options.write_time_max;
    case Phase::feeding: return options.feed_pause_max;
    case Phase::draining: return options.drain_time_max;
    case Phase::handling:
    case Phase::closed: return Duration::max();
  }
  ensure(false);
  return Duration::max();
}

/// Moving the deadline back costs nothing: the timer runs out at the old one, and is then set to the new.
void Session::set_deadline(Duration limit) {
  timed_phase_ = phase_;
  deadline_ = limit == Duration::max() ? Clock::time_point::max() : Clock::now() + limit;
  if (deadline_ < timer_due_) arm_timer();
}

void Session::arm_timer() {
  timer_due_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait(callback([](Session& self) { self.on_timer(); }));
}

void Session::on_timer() {
  timer_due_ = Clock::time_point::max();
  if (deadline_ == Clock::time_point::max()) return;
  if (Clock::now() < deadline_) return arm_timer();
  on_deadline();
}

void Session::on_deadline() {
  if (phase_ == Phase::head) {
    refuse(timeout_refusal("the headers took too long: send them without a pause"));
  } else if (phase_ == Phase::body) {
    refuse(timeout_refusal("the body took too long: send it without a pause, or in smaller requests"));
  } else if (phase_ == Phase::feeding) {
    return keep_feed_alive();
  } else {
    // What the client has not read is thrown away: else the kernel would go on offering it.
    Error ignored;
    if (phase_ == Phase::writing) stream_.socket().set_option(Socket::linger(true, 0), ignored);
    return close();
  }
  await_next();
}

}  // namespace semel::http
