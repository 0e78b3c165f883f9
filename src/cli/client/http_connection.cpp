#include "cli/client/http_connection.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <cstdint>

#include "base/ensure.hpp"

namespace semel::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::uint64_t answer_bytes_max = 256 << 20;

using Failure = boost::system::error_code;
using Parser = http::response_parser<http::string_body>;
using SecureStream = beast::ssl_stream<beast::tcp_stream>;
using Places = asio::ip::tcp::resolver::results_type;

/// The seconds of a Retry-After header; a date in it is not looked at.
std::optional<Duration> read_retry_after(std::string_view text) {
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds{seconds};
}

std::string words_for(const Failure& failure) {
  if (failure == beast::error::timeout) return "it does not answer in time";
  if (failure == http::error::end_of_stream) return "it closed the connection without an answer";
  if (failure.category() == asio::error::get_ssl_category())
    return failure.message() + "; a certificate of your own is trusted with --ca-cert FILE";
  return failure.message();
}

bool is_address(const std::string& host) {
  Failure is_name;
  static_cast<void>(asio::ip::make_address(host, is_name));
  return !is_name;
}

HttpReply reply_of(Parser& parser) {
  HttpReply reply{static_cast<int>(parser.get().result_int()), std::move(parser.get().body()), {}};
  if (const auto field = parser.get().find(http::field::retry_after); field != parser.get().end())
    reply.retry_after = read_retry_after({field->value().data(), field->value().size()});
  return reply;
}

}  // namespace

class HttpPeer {
 public:
  HttpPeer(Url where, HttpOptions how) : url(std::move(where)), options(std::move(how)) {}

  /// Reads the certificates to trust, once: the system's, and the one that was given.
  Failure trust() {
    Failure failure;
    if (!url.is_secure || trusts_) return failure;
    tls.set_default_verify_paths(failure);
    if (!failure && !options.ca_cert.empty()) tls.load_verify_file(options.ca_cert, failure);
    trusts_ = !failure;
    return failure;
  }

  http::request<http::string_body> request_of(const HttpCall& call) const {
    http::request<http::string_body> request(http::string_to_verb(call.method), url.prefix + call.target, 11);
    request.set(http::field::host, url.authority());
    request.set(http::field::user_agent, "semel-cli");
    if (!options.key.empty()) request.set(http::field::authorization, "Bearer " + options.key);
    if (call.method == "GET" || call.method == "DELETE") return request;
    request.set(http::field::content_type, call.content_type);
    request.body() = call.body;
    request.prepare_payload();
    return request;
  }

  tl::unexpected<Error> refused(const Failure& failure) const {
    return refuse(ErrorCode::unavailable,
                  "cannot reach {}://{}: {}; is the server running there? Name another with --url or SEMEL_URL",
                  url.scheme(), url.authority(), words_for(failure));
  }

  const Url url;
  const HttpOptions options;
  asio::ssl::context tls{asio::ssl::context::tls_client};

 private:
  bool trusts_ = false;
};

std::shared_ptr<HttpPeer> make_http_peer(Url url, HttpOptions options) {
  return std::make_shared<HttpPeer>(std::move(url), std::move(options));
}

/// A chain of operations, each of which starts the next: resolve, connect, shake hands, write, read. Their handlers
/// share the ownership; after hang_up() they do nothing.
class HttpConnection::Inner : public std::enable_shared_from_this<HttpConnection::Inner> {
 public:
  Inner(asio::io_context& loop, std::shared_ptr<HttpPeer> peer)
      : loop_(loop), peer_(std::move(peer)), resolver_(loop) {}

  void send(const HttpCall& call, Done done) {
    ensure(!done_);
    done_ = std::move(done);
    send_time_ = std::min(peer_->options.answer_time, call.time_max.value_or(Duration::max()));
    answer_time_ = send_time_ + call.more_time;
    request_ = peer_->request_of(call);
    parser_.emplace();
    parser_->body_limit(answer_bytes_max);
    unsent_ = {};
    if (stream_) write();
    else resolve();
  }

  void hang_up() {
    is_hung_up_ = true;
    done_ = nullptr;
    resolver_.cancel();
    if (stream_) tcp().close();
  }

  bool stop_sending() {
    if (!done_ || !is_reading_ || peer_->url.is_secure) return false;  // TLS has no half of a connection
    Failure failure;
    tcp().socket().shutdown(asio::ip::tcp::socket::shutdown_send, failure);
    return !failure;
  }

 private:
  /// A handler that does nothing after hang_up(), and ends the chain at a failure.
  template <typename Step>
  auto then(Step step) {
    return [self = shared_from_this(), step](const Failure& failure, const auto&... values) {
      if (self->is_hung_up_) return;
      if (failure) return self->end(failure);
      step(*self, values...);
    };
  }

  void resolve() {
    const std::string port = std::to_string(peer_->url.port);
    if (!is_address(peer_->url.host)) {
      return resolver_.async_resolve(peer_->url.host, port,
                                     then([](Inner& self, const Places& places) { self.connect(places); }));
    }
    const asio::ip::tcp::endpoint place(asio::ip::make_address(peer_->url.host), peer_->url.port);
    connect(Places::create(place, peer_->url.host, port));
  }

  void connect(const Places& places) {
    if (const Failure unusable = peer_->trust())
      return asio::post(loop_, [step = then([](Inner&) {}), unusable] { step(unusable); });
    stream_.emplace(loop_, peer_->tls);  // TLS is used only where the url says so
    tcp().expires_after(peer_->options.connect_time);
    tcp().async_connect(places, then([](Inner& self, const auto&...) { self.connected(); }));
  }

  void connected() {
    Failure failure;
    tcp().socket().set_option(asio::ip::tcp::no_delay(true), failure);
    if (failure) return end(failure);
    if (peer_->url.is_secure) shake_hands();
    else write();
  }

  void shake_hands() {
    Failure failure;
    const std::string& host = peer_->url.host;
    stream_->set_verify_mode(asio::ssl::verify_peer, failure);
    if (!failure) stream_->set_verify_callback(asio::ssl::host_name_verification(host), failure);
    // TLS has no place for an address.
    if (!failure && !is_address(host) && SSL_set_tlsext_host_name(stream_->native_handle(), host.c_str()) != 1)
      failure = asio::error::invalid_argument;
    if (failure) return end(failure);
    stream_->async_handshake(asio::ssl::stream_base::client, then([](Inner& self) { self.write(); }));
  }

  void write() {
    tcp().expires_after(send_time_);
    on_stream([this](auto& stream) {
      http::async_write(stream, request_, [self = shared_from_this()](const Failure& unsent, std::size_t) {
        if (!self->is_hung_up_) self->read(unsent);
      });
    });
  }

  /// A server may refuse a body before it has read it all: its answer counts more than that the rest was not sent.
  void read(const Failure& unsent) {
    if (unsent == beast::error::timeout) return end(unsent);
    unsent_ = unsent;
    is_reading_ = true;
    tcp().expires_after(answer_time_);
    on_stream([this](auto& stream) {
      http::async_read(stream, buffer_, *parser_, [self = shared_from_this()](const Failure& unread, std::size_t) {
        if (!self->is_hung_up_) self->end(unread && self->unsent_ ? self->unsent_ : unread);
      });
    });
  }

  void end(const Failure& failure) {
    is_reading_ = false;
    Result<HttpReply> reply = peer_->refused(failure);
    if (!failure) reply = reply_of(*parser_);
    if (failure || !parser_->keep_alive()) {
      stream_.reset();
      buffer_.clear();
    }
    const Done done = std::exchange(done_, nullptr);
    done(std::move(reply));
  }

  template <typename Act>
  void on_stream(const Act& act) {
    if (peer_->url.is_secure) act(*stream_);
    else act(tcp());
  }

  beast::tcp_stream& tcp() { return stream_->next_layer(); }

  asio::io_context& loop_;
  const std::shared_ptr<HttpPeer> peer_;
  asio::ip::tcp::resolver resolver_;
  std::optional<SecureStream> stream_;
  beast::flat_buffer buffer_;
  bool is_hung_up_ = false;

  // Of the call under way.
  Done done_;
  http::request<http::string_body> request_;
  std::optional<Parser> parser_;
  Duration send_time_{0};    // how long sending may take
  Duration answer_time_{0};  // and then answering
  Failure unsent_;           // what kept the request from being sent whole
  bool is_reading_ = false;
};

HttpConnection::HttpConnection(asio::io_context& loop, std::shared_ptr<HttpPeer> peer)
    : loop_(loop), peer_(std::move(peer)), inner_(std::make_shared<Inner>(loop_, peer_)) {}

HttpConnection::~HttpConnection() { inner_->hang_up(); }

void HttpConnection::send(const HttpCall& call, Done done) { inner_->send(call, std::move(done)); }

void HttpConnection::abandon() {
  inner_->hang_up();
  inner_ = std::make_shared<Inner>(loop_, peer_);
}

bool HttpConnection::stop_waiting() {
  if (inner_->stop_sending()) return true;
  abandon();
  return false;
}

}  // namespace semel::cli
