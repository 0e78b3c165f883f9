#include "tests/support/push_endpoint.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace semel::test {
namespace {

std::shared_ptr<void> tls_context(const std::optional<Certificate>& certificate) {
  if (!certificate) return nullptr;
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate->certificate.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), certificate->key.c_str(), SSL_FILETYPE_PEM) != 1)
    throw std::runtime_error("cannot use the certificate");
  return context;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// Takes a whole request off the front of what was received; false while it is not whole.
bool take_request(std::string& received, EndpointRequest& request) {
  const std::size_t end = received.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  request = {};
  std::size_t at = received.find("\r\n");
  const std::string line = received.substr(0, at);
  request.method = line.substr(0, line.find(' '));
  request.target = line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1);
  while (at < end) {
    const std::size_t begin = at + 2;
    at = received.find("\r\n", begin);
    const std::size_t colon = received.find(": ", begin);
    if (colon != std::string::npos && colon < at)
      request.headers[lower(received.substr(begin, colon - begin))] = received.substr(colon + 2, at - colon - 2);
  }
  const std::string length = request.header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  if (received.size() < end + 4 + size) return false;
  request.body = received.substr(end + 4, size);
  received.erase(0, end + 4 + size);
  return true;
}

std::string bytes_of(const EndpointReply& reply) {
  std::string bytes = "HTTP/1.1 " + std::to_string(reply.status) + " Status\r\n" + reply.headers;
  if (!reply.keeps_alive) bytes += "Connection: close\r\n";
  return bytes + "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body;
}

}  // namespace

/// One connection, with or without TLS.
class PushEndpoint::Wire {
 public:
  Wire(int socket, SSL_CTX* tls) : socket_(socket), tls_(tls == nullptr ? nullptr : SSL_new(tls), SSL_free) {}
  ~Wire() { close(); }

  bool shake_hands() { return !tls_ || (SSL_set_fd(tls_.get(), socket_) == 1 && SSL_accept(tls_.get()) == 1); }

  /// False at the end of the connection.
  bool receive(std::string& received) {
    std::array<char, 65536> bytes{};
    const ssize_t count =
        tls_ ? SSL_read(tls_.get(), bytes.data(), bytes.size()) : ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    received.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }

  void send(const std::string& bytes) {
    if (tls_) {
      SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
      return;
    }
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

  /// The other side sees a reset instead of an end.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  void shut_down() {
    const std::lock_guard lock(mutex_);
    if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
  }

  void close() {
    const std::lock_guard lock(mutex_);
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  std::mutex mutex_;  // guards the closing of the socket
  int socket_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_;
};

PushEndpoint::PushEndpoint(Program program, std::optional<Certificate> certificate, std::string host)
    : program_(std::move(program)), tls_(tls_context(certificate)), host_(std::move(host)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = inet_addr(host_.c_str());
  socklen_t size = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 256) != 0) throw std::runtime_error("cannot listen");
  ::getsockname(listener_, address, &size);
  port_ = ntohs(place.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

PushEndpoint::~PushEndpoint() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    is_holding_ = false;
  }
  changed_.notify_all();
  ::shutdown(listener_, SHUT_RDWR);  // ends accept()
  acceptor_.join();
  for (const std::shared_ptr<Wire>& wire : wires_) wire->shut_down();
  for (std::thread& server : servers_) server.join();
  ::close(listener_);
}

std::string PushEndpoint::url(const std::string& path) const {
  return (tls_ ? "https://" : "http://") + host_ + ":" + std::to_string(port_) + path;
}

void PushEndpoint::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int no_delay = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
    auto wire = std::make_shared<Wire>(socket, static_cast<SSL_CTX*>(tls_.get()));
    const std::lock_guard lock(mutex_);
    wires_.push_back(wire);
    servers_.emplace_back([this, wire] { serve(*wire); });
  }
}

void PushEndpoint::serve(Wire& wire) {
  std::string received;
  if (wire.shake_hands()) {
    while (serve_one(wire, received)) {
    }
  }
  wire.close();
  {
    const std::lock_guard lock(mutex_);
    ++ends_;
  }
  changed_.notify_all();
}

bool PushEndpoint::serve_one(Wire& wire, std::string& received) {
  EndpointRequest request;
  while (!take_request(received, request)) {
    if (!wire.receive(received)) return false;
    const std::lock_guard lock(mutex_);
    if (die_after_ && received.size() >= *die_after_) {
      die_after_.reset();
      wire.reset();
      return false;
    }
  }
  const EndpointReply reply = judge(request);
  if (reply.act == EndpointReply::Act::never_answer) wait_for_end();
  else if (reply.act != EndpointReply::Act::hang_up) send(wire, reply);
  return reply.act == EndpointReply::Act::answer && reply.keeps_alive;
}

EndpointReply PushEndpoint::judge(EndpointRequest& request) {
  {
    std::unique_lock lock(mutex_);
    request.number = requests_.size() + 1;
    requests_.push_back(request);
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_holding_; });
  }
  const std::lock_guard lock(program_mutex_);
  return program_(request);
}

void PushEndpoint::send(Wire& wire, const EndpointReply& reply) {
  std::string bytes = bytes_of(reply);
  if (reply.act != EndpointReply::Act::answer) bytes.pop_back();
  wire.send(bytes);
  if (reply.act == EndpointReply::Act::go_silent) wait_for_end();
}

void PushEndpoint::wait_for_end() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_ending_; });
}

void PushEndpoint::hold() {
  const std::lock_guard lock(mutex_);
  is_holding_ = true;
}

void PushEndpoint::release() {
  {
    const std::lock_guard lock(mutex_);
    is_holding_ = false;
  }
  changed_.notify_all();
}

void PushEndpoint::die_after(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  die_after_ = bytes;
}

void PushEndpoint::wait_for(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return requests_.size() >= count; });
}

void PushEndpoint::wait_for_ends(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ends_ >= count; });
}

std::vector<EndpointRequest> PushEndpoint::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t PushEndpoint::connections() const {
  const std::lock_guard lock(mutex_);
  return wires_.size();
}

}  // namespace semel::test
