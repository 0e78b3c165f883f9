#include "api/http/transport/server.hpp"

#include <fmt/format.h>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "api/http/transport/common.hpp"
#include "api/http/transport/session.hpp"
#include "base/ensure.hpp"

namespace semel::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Contexts = std::vector<std::shared_ptr<Context>>;
using Work = asio::executor_work_guard<Executor>;

constexpr Duration accept_pause = 100ms;  // when the process is out of descriptors

std::string to_text(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  const std::string_view format = endpoint.address().is_v6() ? "[{}]:{}" : "{}:{}";
  return fmt::format(fmt::runtime(format), host, endpoint.port());
}

Contexts make_contexts(int count) {
  ensure(count > 0);
  Contexts made;
  for (int each = 0; each < count; ++each) made.push_back(std::make_shared<Context>(1));
  return made;
}

std::uint64_t random_salt() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

class Server::State {
 public:
  State(ServerOptions options, Handler& handler);

  void start();
  void stop(Duration grace);
  Result<void> reload_certificate();
  const std::string& address() const { return address_; }
  std::size_t connections() const { return common_->roster.seated(); }

 private:
  void listen();
  void accept();
  void on_accepted(const Error& error, const std::shared_ptr<Context>& context, Socket socket);
  void stop_accepting();
  void join();

  const std::shared_ptr<Common> common_;
  const Contexts contexts_;  // one a thread; the first accepts, too
  std::size_t accepted_ = 0;
  Acceptor acceptor_;
  Timer accept_timer_;
  std::string address_;  // set by start()
  std::mutex mutex_;     // guards what follows: the life cycle
  bool is_started_ = false;
  bool is_stopped_ = false;
  std::vector<Work> work_;  // keeps the threads while there are no sessions
  std::vector<std::jthread> threads_;
};

Server::State::State(ServerOptions options, Handler& handler)
    : common_(std::make_shared<Common>(std::move(options), handler, random_salt())),
      contexts_(make_contexts(common_->options.threads)),
      acceptor_(*contexts_.front()),
      accept_timer_(acceptor_.get_executor()) {}

void Server::State::start() {
  const std::scoped_lock lock(mutex_);
  ensure(!is_started_);
  listen();
  is_started_ = true;
  accept();
  for (const auto& context : contexts_) {
    work_.push_back(asio::make_work_guard(*context));
    threads_.emplace_back([context] { context->run(); });
  }
}

void Server::State::listen() {
  const ServerOptions& options = common_->options;
  try {
    tcp::resolver resolver(*contexts_.front());
    const tcp::endpoint endpoint =
        resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive).begin()->endpoint();
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    address_ = to_text(acceptor_.local_endpoint());
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error(
        fmt::format("cannot listen on {}:{}: {}", options.host, options.port, error.code().message()));
  }
}

void Server::State::accept() {
  const auto& context = contexts_[accepted_ % contexts_.size()];
  acceptor_.async_accept(*context, [this, context](const Error& error, Socket socket) {
    if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
    on_accepted(error, context, std::move(socket));
  });
}

void Server::State::on_accepted(const Error& error, const std::shared_ptr<Context>& context, Socket socket) {
  if (error && error != asio::error::connection_aborted) {
    accept_timer_.expires_after(accept_pause);
    return accept_timer_.async_wait([this](const Error& stopped) {
      if (!stopped && acceptor_.is_open()) accept();
    });
  }
  if (!error) {
    ++accepted_;
    const auto session = std::make_shared<Session>(common_, context, std::move(socket));
    session->run_later(common_->roster.admit(session) ? &Session::start : &Session::turn_away);
  }
  accept();
}

void Server::State::stop(Duration grace) {
  const std::scoped_lock lock(mutex_);
  if (!is_started_ || std::exchange(is_stopped_, true)) return;
  common_->is_stopping = true;
  stop_accepting();
  for (const auto& session : common_->roster.all()) session->run_later(&Session::wind_up);
  common_->roster.wait_until_empty(grace);
  for (const auto& session : common_->roster.all()) session->run_later(&Session::close);
  join();
}

Result<void> Server::State::reload_certificate() {
  ensure(common_->tls.has_value());
  return common_->tls->reload();
}

/// Afterwards no session is made any more.
void Server::State::stop_accepting() {
  std::promise<void> closed;
  asio::post(acceptor_.get_executor(), [this, &closed] {
    Error ignored;
    acceptor_.close(ignored);
    accept_timer_.cancel();
    closed.set_value();
  });
  closed.get_future().wait();
}

/// Every thread ends by itself, since a closed session waits for nothing.
void Server::State::join() {
  work_.clear();
  for (std::jthread& thread : threads_) thread.join();
}

Server::Server(ServerOptions options, Handler& handler)
    : state_(std::make_shared<State>(std::move(options), handler)) {}

Server::~Server() { state_->stop(0ms); }

void Server::start() { state_->start(); }

void Server::stop(Duration grace) { state_->stop(grace); }

Result<void> Server::reload_certificate() { return state_->reload_certificate(); }

std::string Server::address() const { return state_->address(); }

std::size_t Server::connections() const { return state_->connections(); }

}  // namespace semel::http
