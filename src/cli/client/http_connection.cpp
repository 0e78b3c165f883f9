#include "cli/client/http_connection.hpp"

#include <algorithm>

#include "http_client/connection.hpp"

namespace semel::cli {
namespace {

using http_client::Failure;

HttpUrl http_url(const Url& url) { return {url.host, url.port, url.is_secure, "/"}; }

}  // namespace

class HttpPeer {
 public:
  HttpPeer(Url url, HttpOptions options)
      : url_(std::move(url)), options_(std::move(options)), peer_(std::make_shared<http_client::Peer>()) {
    peer_->url = http_url(url_);
    peer_->options.user_agent = "semel-cli";
    peer_->options.connect_time = options_.connect_time;
    peer_->tls = http_client::make_tls(options_.ca_cert);
  }

  const std::shared_ptr<http_client::Peer>& peer() const { return peer_; }

  http_client::Call call_of(const HttpCall& call) const {
    http_client::Call made;
    made.method = call.method;
    made.target = url_.prefix + call.target;
    made.send_time = std::min(options_.answer_time, call.time_max.value_or(Duration::max()));
    made.head_time = made.send_time + call.more_time;
    made.body_time = made.send_time;
    if (!options_.key.empty()) made.headers.emplace_back("Authorization", "Bearer " + options_.key);
    if (call.method == "GET" || call.method == "DELETE") return made;
    made.headers.emplace_back("Content-Type", call.content_type);
    made.body = call.body;
    return made;
  }

  Result<HttpReply> reply_of(http_client::Outcome outcome) const {
    if (outcome) return HttpReply{outcome->status, std::move(outcome->body), outcome->retry_after};
    return refuse(ErrorCode::unavailable,
                  "cannot reach {}://{}: {}{}; is the server running there? Name another with --url or SEMEL_URL",
                  url_.scheme(), url_.authority(), outcome.error().message, advice_on(outcome.error()));
  }

 private:
  /// What OpenSSL says of an answer in plain HTTP helps nobody.
  static std::string_view advice_on(const Failure& failure) {
    if (failure.message.find("wrong version number") != std::string::npos)
      return "; what answers there speaks no TLS: a server without a certificate has a url with http://";
    if (failure.kind == Failure::Kind::certificate) return "; a certificate of your own is trusted with --ca-cert FILE";
    return "";
  }

  const Url url_;
  const HttpOptions options_;
  const std::shared_ptr<http_client::Peer> peer_;
};

std::shared_ptr<HttpPeer> make_http_peer(Url url, HttpOptions options) {
  return std::make_shared<HttpPeer>(std::move(url), std::move(options));
}

HttpConnection::HttpConnection(boost::asio::io_context& loop, std::shared_ptr<HttpPeer> peer)
    : peer_(std::move(peer)), connection_(std::make_unique<http_client::Connection>(loop, peer_->peer())) {}

HttpConnection::~HttpConnection() = default;

void HttpConnection::send(const HttpCall& call, Done done) {
  connection_->send(peer_->call_of(call), [peer = peer_, done = std::move(done)](http_client::Outcome outcome) {
    done(peer->reply_of(std::move(outcome)));
  });
}

void HttpConnection::abandon() { connection_->abandon(); }

bool HttpConnection::stop_waiting() { return connection_->stop_waiting(); }

}  // namespace semel::cli
