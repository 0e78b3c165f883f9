#include "http_client/connection.hpp"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include "base/ensure.hpp"
#include "http_client/places.hpp"
#include "http_client/tls.hpp"
#include "http_client/words.hpp"

namespace semel::http_client {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

/// A chain of operations, each of which starts the next: resolve, connect, shake hands, write, read. Their handlers
/// share the ownership; after hang_up() they do nothing.
class Connection::Chain : public std::enable_shared_from_this<Connection::Chain> {
 public:
  using Code = boost::system::error_code;

  Chain(asio::io_context& loop, std::shared_ptr<const Peer> peer)
      : loop_(loop), peer_(std::move(peer)), resolver_(loop), name_timer_(loop) {}

  void send(Call call, Done done) {
    ensure(!done_);
    done_ = std::move(done);
    call_ = std::move(call);
    make_request();
    expect_answer();
    unsent_ = {};
    is_begun_ = false;
    if (stream_) write();
    else resolve();
  }

  void hang_up() {
    ++number_;
    done_ = nullptr;
    resolver_.cancel();
    name_timer_.cancel();
    if (stream_) tcp().close();
  }

  bool stop_sending() {
    if (!done_ || !is_reading_ || peer_->url.is_secure) return false;  // TLS has no half of a connection
    Code failure;
    tcp().socket().shutdown(asio::ip::tcp::socket::shutdown_send, failure);
    return !failure;
  }

  bool is_begun() const { return done_ && is_begun_; }

  /// What has come unasked over TLS may be about TLS itself; anything else, and the end of all, makes it useless.
  bool is_open() {
    if (!stream_) return false;
    char byte = 0;
    const ssize_t count = ::recv(tcp().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool is_silent = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (is_silent || (count > 0 && peer_->url.is_secure)) return true;
    drop();
    return false;
  }

 private:
  using SecureStream = beast::ssl_stream<beast::tcp_stream>;
  using Parser = http::response_parser<http::string_body>;

  /// A handler that does nothing after its call has ended, and ends it at a failure.
  template <typename Step>
  auto then(Step step) {
    return [self = shared_from_this(), number = number_, step](const Code& failure, const auto&... values) {
      if (self->number_ != number) return;
      if (failure) return self->end(failure);
      step(*self, values...);
    };
  }

  void make_request() {
    request_ = http::request<http::string_body>(http::string_to_verb(call_.method), call_.target, 11);
    request_.set(http::field::host, peer_->url.authority());
    request_.set(http::field::user_agent, peer_->options.user_agent);
    for (const auto& [name, value] : call_.headers) request_.set(name, value);
    request_.body() = std::move(call_.body);
    request_.prepare_payload();
  }

  void expect_answer() {
    parser_.emplace();
    parser_->body_limit(peer_->options.answer_bytes_max);
  }

  void resolve() {
    connect_until_ = std::chrono::steady_clock::now() + peer_->options.connect_time;
    if (const std::optional<Places> place = place_of_address(peer_->url)) return connect(*place);
    // What the operating system asks for a name cannot be stopped, but nobody has to wait for it.
    is_asking_ = true;
    name_timer_.expires_at(connect_until_);
    name_timer_.async_wait([self = shared_from_this(), number = number_](const Code& cancelled) {
      if (!cancelled && self->number_ == number && self->is_asking_) self->end(beast::error::timeout);
    });
    resolver_.async_resolve(peer_->url.host, std::to_string(peer_->url.port), then([](Chain& self, const auto& found) {
                              self.is_asking_ = false;
                              self.name_timer_.cancel();
                              self.connect({found.begin(), found.end()});
                            }));
  }

  /// Only to where it may: the name is not asked for again, so that it cannot mean something else by then.
  void connect(const Places& places) {
    const Sifted sifted = sift(places, peer_->options.may_connect);
    if (sifted.allowed.empty()) return end_later(forbidden(sifted.forbidden));
    if (const Code unusable = peer_->url.is_secure ? peer_->tls->trust() : Code())
      return end_later(failure_of(unusable));
    stream_.emplace(loop_, peer_->tls->context());  // TLS is used only where the url says so
    tcp().expires_at(connect_until_);
    tcp().async_connect(sifted.allowed, then([](Chain& self, const auto&...) { self.connected(); }));
  }

  void connected() {
    Code failure;
    tcp().socket().set_option(asio::ip::tcp::no_delay(true), failure);
    if (failure) return end(failure);
    if (peer_->url.is_secure) shake_hands();
    else write();
  }

  void shake_hands() {
    Code failure;
    const std::string& host = peer_->url.host;
    stream_->set_verify_mode(asio::ssl::verify_peer, failure);
    if (!failure) stream_->set_verify_callback(asio::ssl::host_name_verification(host), failure);
    // TLS has no place for an address.
    if (!failure && !place_of_address(peer_->url) &&
        SSL_set_tlsext_host_name(stream_->native_handle(), host.c_str()) != 1)
      failure = asio::error::invalid_argument;
    if (failure) return end(failure);
    stream_->async_handshake(asio::ssl::stream_base::client, then([](Chain& self) { self.write(); }));
  }

  void write() {
    is_begun_ = true;
    tcp().expires_after(call_.send_time);
    on_stream([this](auto& stream) {
      http::async_write(stream, request_,
                        [self = shared_from_this(), number = number_](const Code& unsent, std::size_t) {
                          if (self->number_ == number) self->written(unsent);
                        });
    });
  }

  /// A server may refuse a body before it has read it all: its answer counts more than that the rest was not sent.
  void written(const Code& unsent) {
    if (unsent == beast::error::timeout) return end(unsent);
    unsent_ = unsent;
    is_reading_ = true;
    tcp().expires_after(call_.head_time);
    read_head();
  }

  void read_head() {
    on_stream([this](auto& stream) {
      http::async_read_header(stream, buffer_, *parser_, then([](Chain& self, std::size_t) { self.read_body(); }));
    });
  }

  void read_body() {
    const unsigned status = parser_->get().result_int();
    if (status / 100 == 1) {  // it is still at it
      expect_answer();
      return read_head();
    }
    tcp().expires_after(call_.body_time);
    on_stream([this](auto& stream) {
      http::async_read(stream, buffer_, *parser_, then([](Chain& self, std::size_t) { self.end_well(); }));
    });
  }

  void end_well() {
    Reply reply{static_cast<int>(parser_->get().result_int()), std::move(parser_->get().body()), {}};
    if (const auto field = parser_->get().find(http::field::retry_after); field != parser_->get().end())
      reply.retry_after = read_retry_after({field->value().data(), field->value().size()});
    if (!parser_->keep_alive()) drop();
    tell(std::move(reply));
  }

  void end(const Code& code) {
    Failure failure = failure_of(unsent_ ? unsent_ : code);
    if (parser_->is_header_done()) failure.status = static_cast<int>(parser_->get().result_int());
    fail(std::move(failure));
  }

  /// As end(), where send() may still be on the stack.
  void end_later(Failure failure) {
    asio::post(loop_, [self = shared_from_this(), number = number_, failure = std::move(failure)] {
      if (self->number_ == number) self->fail(failure);
    });
  }

  void fail(Failure failure) {
    failure.is_begun = is_begun_;
    drop();
    tell(tl::unexpected(std::move(failure)));
  }

  void tell(Outcome outcome) {
    ++number_;
    is_reading_ = false;
    name_timer_.cancel();
    const Done done = std::exchange(done_, nullptr);
    done(std::move(outcome));
  }

  void drop() {
    stream_.reset();
    buffer_.clear();
  }

  template <typename Act>
  void on_stream(const Act& act) {
    if (peer_->url.is_secure) act(*stream_);
    else act(tcp());
  }

  beast::tcp_stream& tcp() { return stream_->next_layer(); }

  asio::io_context& loop_;
  const std::shared_ptr<const Peer> peer_;
  asio::ip::tcp::resolver resolver_;
  asio::steady_timer name_timer_;
  std::optional<SecureStream> stream_;
  beast::flat_buffer buffer_;

  // Of the call under way.
  std::uint64_t number_ = 0;  // handlers of an earlier one do nothing
  Done done_;
  Call call_;
  http::request<http::string_body> request_;
  std::optional<Parser> parser_;
  std::chrono::steady_clock::time_point connect_until_;
  Code unsent_;             // what kept the request from being sent whole
  bool is_asking_ = false;  // for the addresses of a name
  bool is_begun_ = false;
  bool is_reading_ = false;
};

Connection::Connection(asio::io_context& loop, std::shared_ptr<const Peer> peer)
    : loop_(loop), peer_(std::move(peer)), chain_(std::make_shared<Chain>(loop_, peer_)) {}

Connection::~Connection() { chain_->hang_up(); }

void Connection::send(Call call, Done done) { chain_->send(std::move(call), std::move(done)); }

void Connection::abandon() {
  chain_->hang_up();
  chain_ = std::make_shared<Chain>(loop_, peer_);
}

bool Connection::is_begun() const { return chain_->is_begun(); }

bool Connection::is_open() { return chain_->is_open(); }

bool Connection::stop_waiting() {
  if (chain_->stop_sending()) return true;
  abandon();
  return false;
}

}  // namespace semel::http_client
