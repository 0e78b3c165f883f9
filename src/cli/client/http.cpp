#include "cli/client/http.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <cstdint>

namespace semel::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::uint64_t answer_bytes_max = 256 << 20;

using Failure = boost::system::error_code;
using Parser = http::response_parser<http::string_body>;
using SecureStream = beast::ssl_stream<beast::tcp_stream>;

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

}  // namespace

class HttpTransport::Inner {
 public:
  Inner(Url url, Options options) : url_(std::move(url)), options_(std::move(options)) {}

  Result<HttpReply> send(const HttpCall& call) {
    Parser parser;
    parser.body_limit(answer_bytes_max);
    Failure failure = connect();
    if (!failure) failure = exchange(call, parser);
    if (failure || !parser.keep_alive()) disconnect();
    if (failure) return refused(failure);
    HttpReply reply{static_cast<int>(parser.get().result_int()), std::move(parser.get().body()), {}};
    if (const auto field = parser.get().find(http::field::retry_after); field != parser.get().end()) {
      reply.retry_after = read_retry_after({field->value().data(), field->value().size()});
    }
    return reply;
  }

 private:
  Failure connect() {
    if (stream_) return {};
    Failure failure;
    asio::ip::tcp::resolver resolver(context_);
    const auto places = resolver.resolve(url_.host, std::to_string(url_.port), failure);
    if (failure) return failure;
    if (Failure unusable = trust(); unusable) return unusable;
    stream_.emplace(context_, tls_);  // TLS is used only where the url says so
    tcp().expires_after(options_.connect_time);
    failure = finish([&](auto done) { tcp().async_connect(places, done); });
    if (!failure) tcp().socket().set_option(asio::ip::tcp::no_delay(true), failure);
    return failure || !url_.is_secure ? failure : shake_hands();
  }

  /// The certificates to trust: the system's, and the one that was given.
  Failure trust() {
    Failure failure;
    if (!url_.is_secure) return failure;
    tls_.set_default_verify_paths(failure);
    if (!failure && !options_.ca_cert.empty()) tls_.load_verify_file(options_.ca_cert, failure);
    return failure;
  }

  Failure shake_hands() {
    Failure failure;
    stream_->set_verify_mode(asio::ssl::verify_peer, failure);
    if (!failure) stream_->set_verify_callback(asio::ssl::host_name_verification(url_.host), failure);
    if (failure) return failure;
    Failure is_name;  // and not an address, which TLS has no place for
    static_cast<void>(asio::ip::make_address(url_.host, is_name));
    if (is_name && SSL_set_tlsext_host_name(stream_->native_handle(), url_.host.c_str()) != 1)
      return asio::error::invalid_argument;
    return finish([&](auto done) { stream_->async_handshake(asio::ssl::stream_base::client, done); });
  }

  Failure exchange(const HttpCall& call, Parser& parser) {
    return url_.is_secure ? exchange_on(*stream_, call, parser) : exchange_on(tcp(), call, parser);
  }

  template <typename Stream>
  Failure exchange_on(Stream& stream, const HttpCall& call, Parser& parser) {
    const http::request<http::string_body> request = request_of(call);
    tcp().expires_after(options_.answer_time);
    // A server may refuse a body before it has read it all: its answer counts more than that the rest was not sent.
    const Failure unsent = finish([&](auto done) { http::async_write(stream, request, done); });
    if (unsent == beast::error::timeout) return unsent;
    tcp().expires_after(options_.answer_time + call.more_time);
    const Failure unread = finish([&](auto done) { http::async_read(stream, buffer_, parser, done); });
    return unread && unsent ? unsent : unread;
  }

  http::request<http::string_body> request_of(const HttpCall& call) const {
    http::request<http::string_body> request(http::string_to_verb(call.method), url_.prefix + call.target, 11);
    request.set(http::field::host, url_.authority());
    request.set(http::field::user_agent, "semel-cli");
    if (!options_.key.empty()) request.set(http::field::authorization, "Bearer " + options_.key);
    if (call.method == "GET" || call.method == "DELETE") return request;
    request.set(http::field::content_type, call.content_type);
    request.body() = call.body;
    request.prepare_payload();
    return request;
  }

  /// Starts an operation and returns when it has ended; it ends by its time-out at the latest.
  template <typename Start>
  Failure finish(const Start& start) {
    Failure failure;
    start([&failure](const Failure& ended, const auto&...) { failure = ended; });
    context_.restart();
    context_.run();
    return failure;
  }

  beast::tcp_stream& tcp() { return stream_->next_layer(); }

  void disconnect() {
    stream_.reset();
    buffer_.clear();
  }

  tl::unexpected<Error> refused(const Failure& failure) const {
    return refuse(ErrorCode::unavailable,
                  "cannot reach {}://{}: {}; is the server running there? Name another with --url or SEMEL_URL",
                  url_.scheme(), url_.authority(), words_for(failure));
  }

  const Url url_;
  const Options options_;
  asio::io_context context_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  std::optional<SecureStream> stream_;
  beast::flat_buffer buffer_;
};

HttpTransport::HttpTransport(Url url, Options options)
    : inner_(std::make_unique<Inner>(std::move(url), std::move(options))) {}
HttpTransport::~HttpTransport() = default;

Result<HttpReply> HttpTransport::send(const HttpCall& call) { return inner_->send(call); }

void pause(Duration duration) {
  asio::io_context context(1);
  asio::steady_timer(context, duration).wait();
}

}  // namespace semel::cli
