#include <boost/asio/post.hpp>
#include <utility>

#include "api/http/transport/response_text.hpp"
#include "api/http/transport/session.hpp"

/// Answers that go on: a piece is asked for when all before it has been sent, so that a slow client holds up nobody and
/// fills no memory.
namespace semel::http {

void Session::begin_feed(std::shared_ptr<Feed> feed) {
  feed_ = std::move(feed);
  if (frame_.is_http10) frame_.closes = true;
  feed_->begin([weak = weak_from_this(), number = number_] {
    if (const auto self = weak.lock()) self->wake_feed(number);
  });
}

/// Callable from any thread.
void Session::wake_feed(std::uint64_t number) {
  boost::asio::post(stream_.socket().get_executor(), [weak = weak_from_this(), number] {
    const auto self = weak.lock();
    if (!self || self->phase_ != Phase::feeding || self->number_ != number) return;  // it will be asked anyway
    self->run_later(&Session::feed_more);
  });
}

void Session::feed_more() {
  if (!feed_ || !outbox_.is_empty()) return;
  std::string piece;
  const bool goes_on = feed_->pull(piece);
  send_piece(std::move(piece), goes_on);
}

void Session::keep_feed_alive() {
  std::string piece;
  const bool goes_on = feed_->keep_alive(piece);
  send_piece(std::move(piece), goes_on);
}

void Session::send_piece(std::string piece, bool goes_on) {
  goes_on = goes_on && !common_->is_stopping;
  if (piece.empty() && goes_on) {
    phase_ = Phase::feeding;
    set_deadline(phase_limit());
    return watch_client();
  }
  if (!goes_on) feed_.reset();
  phase_ = Phase::writing;
  outbox_.load(frame_.is_http10 ? std::move(piece) : to_chunks(piece, !goes_on));
  write_more();
  consume_pending();
  await_next();
}

}  // namespace semel::http
