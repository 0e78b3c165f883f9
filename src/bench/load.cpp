#include "bench/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <optional>

namespace semel::bench {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Steady = std::chrono::steady_clock;

struct Run {
  const Load& load;
  LoadResult result;
  Steady::time_point end;
  std::uint64_t sent = 0;

  bool goes_on() const { return sent < load.requests_max && Steady::now() < end; }
};

/// One connection with one request at a time.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::io_context& context, Run& run) : socket_(context), run_(run) {}

  void start() {
    socket_.connect({asio::ip::make_address("127.0.0.1"), run_.load.port});
    socket_.set_option(asio::ip::tcp::no_delay(true));
    send();
  }

 private:
  void send() {
    if (!run_.goes_on()) return;
    ++run_.sent;
    const std::string body = run_.load.next_body();
    request_ = fmt::format(
        "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        run_.load.path, body.size(), body);
    begun_ = Steady::now();
    asio::async_write(socket_, asio::buffer(request_), [self = shared_from_this()](const auto& error, std::size_t) {
      if (error) return self->fail();
      self->receive();
    });
  }

  void receive() {
    parser_.emplace();
    parser_->body_limit(64 << 20);
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](const auto& error, std::size_t) {
      if (error) return self->fail();
      self->received();
    });
  }

  void received() {
    const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - begun_);
    run_.result.latencies_us.push_back(static_cast<std::uint32_t>(taken.count()));
    ++run_.result.answers;
    if (!run_.load.good(static_cast<int>(parser_->get().result_int()), parser_->get().body())) ++run_.result.refused;
    send();
  }

  void fail() { ++run_.result.refused; }

  asio::ip::tcp::socket socket_;
  Run& run_;
  std::string request_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> parser_;
  Steady::time_point begun_;
};

}  // namespace

double LoadResult::percentile_ms(double share) {
  if (latencies_us.empty()) return 0;
  const auto place = static_cast<std::size_t>(share * static_cast<double>(latencies_us.size() - 1));
  std::nth_element(latencies_us.begin(), latencies_us.begin() + static_cast<std::ptrdiff_t>(place), latencies_us.end());
  return latencies_us[place] / 1000.0;
}

LoadResult drive(const Load& load) {
  asio::io_context context(1);
  const auto begun = Steady::now();
  Run run{load, {}, begun + load.time, 0};
  for (std::size_t i = 0; i < load.in_flight; ++i) std::make_shared<Connection>(context, run)->start();
  context.run();
  run.result.seconds = std::chrono::duration<double>(Steady::now() - begun).count();
  return std::move(run.result);
}

}  // namespace semel::bench
