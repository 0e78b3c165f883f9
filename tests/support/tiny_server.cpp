#include "tests/support/tiny_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace semel::test {
namespace {

std::size_t body_length(const std::string& head) {
  const std::string field = "Content-Length: ";
  const std::size_t at = head.find(field);
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + field.size()));
}

/// One whole request; "" when the connection ends before.
std::string read_request(int socket) {
  std::string received;
  std::array<char, 4096> bytes{};
  while (true) {
    const std::size_t end = received.find("\r\n\r\n");
    if (end != std::string::npos && received.size() >= end + 4 + body_length(received.substr(0, end + 2)))
      return received;
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) return "";
    received.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

TinyServer::TinyServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 16) != 0) throw std::runtime_error("cannot listen");
  ::getsockname(listener_, address, &size);
  address_ = "127.0.0.1:" + std::to_string(ntohs(place.sin_port));
  thread_ = std::thread([this] { serve(); });
}

TinyServer::~TinyServer() {
  ::shutdown(listener_, SHUT_RDWR);  // ends accept()
  thread_.join();
  ::close(listener_);
}

void TinyServer::serve() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    if (const std::string request = read_request(socket); !request.empty()) {
      const std::string answer = handler_(request, keep(request));
      ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
    }
    ::close(socket);
  }
}

std::size_t TinyServer::keep(const std::string& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  return requests_.size();
}

std::vector<std::string> TinyServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string TinyServer::target_of(const std::string& request) {
  const std::size_t begin = request.find(' ') + 1;
  return request.substr(begin, request.find(' ', begin) - begin);
}

std::string TinyServer::body_of(const std::string& request) { return request.substr(request.find("\r\n\r\n") + 4); }

std::string TinyServer::json(int status, const std::string& body, const std::string& headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Type: application/json\r\nConnection: close\r\n" +
         headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace semel::test
