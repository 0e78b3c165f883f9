#include "api/http/transport/stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <new>
#include <utility>

#include "api/http/transport/socket_bio.hpp"
#include "base/ensure.hpp"

namespace semel::http {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;
using State = Transfer::State;

asio::const_buffer as_buffer(std::string_view bytes) { return asio::buffer(bytes.data(), bytes.size()); }

State state_of(const Error& error, State wait) {
  if (!error) return State::done;
  if (would_block(error)) return wait;
  return error == asio::error::eof ? State::ended : State::failed;
}

}  // namespace

Stream::Stream(Socket socket, const TlsContext* tls) : socket_(std::move(socket)), tls_(nullptr, nullptr) {
  if (tls == nullptr) return;
  tls_ = tls->begin();
  BIO* const bio = make_bio(socket_);
  SSL_set_bio(tls_.get(), bio, bio);  // takes it over
}

Transfer Stream::handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(tls_.get());
  if (result == 1) {
    may_end_ = true;
    return {State::done};
  }
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const Transfer outcome = why_not(result);
  if (outcome.state != State::failed || reason != SSL_R_HTTP_REQUEST) return outcome;
  tls_.reset();
  return {State::plain_http};
}

Transfer Stream::read(std::span<char> buffer) {
  if (!tls_) {
    Error error;
    const std::size_t count = socket_.read_some(asio::buffer(buffer.data(), buffer.size()), error);
    return {state_of(error, State::wait_read), count};
  }
  ensure(buffer.size() >= record_bytes_max);
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_read_ex(tls_.get(), buffer.data(), buffer.size(), &count);
  return result == 1 ? Transfer{State::done, count} : why_not(result);
}

Transfer Stream::write(std::string_view first, std::string_view second) {
  if (!tls_) {
    Error error;
    const std::size_t count = second.empty()
                                  ? socket_.write_some(as_buffer(first), error)
                                  : socket_.write_some(std::array{as_buffer(first), as_buffer(second)}, error);
    return {state_of(error, State::wait_write), count};
  }
  const std::string_view piece = first.empty() ? second : first;
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_write_ex(tls_.get(), piece.data(), piece.size(), &count);
  return result == 1 ? Transfer{State::done, count} : why_not(result);
}

void Stream::end_writing() {
  send_end();
  Error ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Stream::close() {
  send_end();
  Error ignored;
  socket_.close(ignored);
}

Transfer Stream::why_not(int result) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {State::wait_read};
    case SSL_ERROR_WANT_WRITE: return {State::wait_write};
    case SSL_ERROR_ZERO_RETURN: return {State::ended};
    default: may_end_ = false; return {State::failed};  // also an end without notice, which anyone can make
  }
}

/// As far as the socket takes it: nobody waits for a farewell.
void Stream::send_end() {
  if (!std::exchange(may_end_, false)) return;
  ERR_clear_error();
  SSL_shutdown(tls_.get());
}

}  // namespace semel::http
