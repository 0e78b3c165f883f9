#include "bench/push_baseline.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/url.hpp"
#include "http_client/connection.hpp"

namespace semel::bench {
namespace {

class BareLoop {
 public:
  BareLoop(const std::string& url, std::size_t connections, const std::string& body, Duration time)
      : until_(std::chrono::steady_clock::now() + time) {
    auto peer = std::make_shared<http_client::Peer>();
    peer->url = parse_http_url(url).value();
    peer->options.user_agent = "semel";
    peer->tls = http_client::make_tls("");
    call_.method = "POST";
    call_.target = peer->url.target;
    call_.headers.emplace_back("Content-Type", "application/json");
    call_.body = body;
    for (std::size_t i = 0; i < connections; ++i)
      connections_.push_back(std::make_unique<http_client::Connection>(loop_, peer));
  }

  double per_s() {
    const auto begun = std::chrono::steady_clock::now();
    for (const auto& connection : connections_) next(*connection);
    loop_.run();
    if (failures_ > 0) throw std::runtime_error(fmt::format("the target failed {} times", failures_));
    return static_cast<double>(answers_) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

 private:
  void next(http_client::Connection& connection) {
    connection.send(call_, [this, &connection](const http_client::Outcome& outcome) {
      if (!outcome || outcome->status != 200) {
        ++failures_;
        return;
      }
      ++answers_;
      if (std::chrono::steady_clock::now() < until_) next(connection);
    });
  }

  const std::chrono::steady_clock::time_point until_;
  boost::asio::io_context loop_{1};
  http_client::Call call_;
  std::vector<std::unique_ptr<http_client::Connection>> connections_;
  std::uint64_t answers_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace

double bare_push_per_s(const std::string& url, std::size_t connections, const std::string& body, Duration time) {
  return BareLoop(url, connections, body, time).per_s();
}

}  // namespace semel::bench
