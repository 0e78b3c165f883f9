#include "cli/client/http.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace semel::cli {

class HttpTransport::Inner {
 public:
  Inner(Url url, Options options) : connection_(loop_, make_http_peer(std::move(url), std::move(options))) {}

  /// Runs the loop until the call has ended; it ends by its time-out at the latest.
  Result<HttpReply> send(const HttpCall& call) {
    Result<HttpReply> reply = refuse(ErrorCode::internal, "the call has not ended");
    connection_.send(call, [&reply](Result<HttpReply> ended) { reply = std::move(ended); });
    loop_.restart();
    loop_.run();
    return reply;
  }

 private:
  boost::asio::io_context loop_{1};
  HttpConnection connection_;
};

HttpTransport::HttpTransport(Url url, Options options)
    : inner_(std::make_unique<Inner>(std::move(url), std::move(options))) {}
HttpTransport::~HttpTransport() = default;

Result<HttpReply> HttpTransport::send(const HttpCall& call) { return inner_->send(call); }

void pause(Duration duration) {
  boost::asio::io_context context(1);
  boost::asio::steady_timer(context, duration).wait();
}

}  // namespace semel::cli
