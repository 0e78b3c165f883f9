#include "bench/load.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <stdexcept>
#include <vector>

#include "bench/latencies.hpp"

namespace semel::bench {

namespace asio = boost::asio;

void rest(Duration time) {
  asio::io_context context;
  asio::steady_timer(context, time).wait();
}

class Load::Connection {
 public:
  Connection(asio::io_context& context, std::uint16_t port, std::unique_ptr<Client> client)
      : client_(std::move(client)), socket_(context) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), port});
    socket_.set_option(asio::ip::tcp::no_delay(true));
    client_->wake_ = [this] { go_on(); };
  }

  Client& client() { return *client_; }

  void go_on() {
    if (busy_) return;
    const std::optional<Request> request = client_->next();
    if (!request) return;
    busy_ = true;
    text_ = fmt::format(
        "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        request->path, request->body.size(), request->body);
    asio::async_write(socket_, asio::buffer(text_), [this](const auto& error, std::size_t) {
      check(error);
      receive();
    });
  }

 private:
  void receive() {
    parser_.emplace();
    parser_->body_limit(64 << 20);
    boost::beast::http::async_read(socket_, buffer_, *parser_, [this](const auto& error, std::size_t) {
      check(error);
      busy_ = false;
      client_->answered(static_cast<int>(parser_->get().result_int()), parser_->get().body());
      go_on();
    });
  }

  static void check(const boost::system::error_code& error) {
    if (error) throw std::runtime_error("the server broke a connection: " + error.message());
  }

  const std::unique_ptr<Client> client_;
  asio::ip::tcp::socket socket_;
  bool busy_ = false;  // a request is being sent or answered
  std::string text_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::string_body>> parser_;
};

class Load::Inner {
 public:
  explicit Inner(std::uint16_t to) : port(to) {}

  const std::uint16_t port;
  asio::io_context context{1};
  std::vector<std::unique_ptr<Connection>> connections;
};

Load::Load(std::uint16_t port) : inner_(std::make_unique<Inner>(port)) {}
Load::~Load() = default;

Client& Load::add(std::unique_ptr<Client> client) {
  inner_->connections.push_back(std::make_unique<Connection>(inner_->context, inner_->port, std::move(client)));
  return inner_->connections.back()->client();
}

void Load::after(Duration pause, std::function<void()> action) {
  auto timer = std::make_shared<asio::steady_timer>(inner_->context, pause);
  timer->async_wait([timer, action = std::move(action)](const auto& error) {
    if (!error) action();
  });
}

double Load::run() {
  const auto begun = Steady::now();
  for (const auto& connection : inner_->connections) connection->go_on();
  inner_->context.run();
  return std::chrono::duration<double>(Steady::now() - begun).count();
}

void Load::stop() { inner_->context.stop(); }

}  // namespace semel::bench
