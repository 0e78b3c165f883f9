#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace semel::http {

struct Answer {
  int status = 0;
  std::string reason;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

/// A client on a plain blocking socket, which can misbehave at will. Reads fail after ten seconds, so that a
/// test that waits for what never comes ends.
class Client {
 public:
  /// `address` is "127.0.0.1:port" or "[::1]:port".
  explicit Client(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)));
    address[0] == '[' ? connect_v6(port) : connect_v4(address.substr(0, colon), port);
    const timeval guard{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof guard);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Client() { close(); }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}
  Client& operator=(Client&&) = delete;

  /// Whether all of it could be sent.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  Answer read_answer(bool has_body = true) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) read_more_or_throw();
    Answer answer = parse_head(buffer_.substr(0, end));
    buffer_.erase(0, end + 4);
    const auto length = answer.headers.find("content-length");
    if (!has_body || length == answer.headers.end()) return answer;
    const std::size_t bytes = std::stoul(length->second);
    while (buffer_.size() < bytes) read_more_or_throw();
    answer.body = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return answer;
  }

  /// Up to the next line break, without it.
  std::string read_line() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) read_more_or_throw();
    const std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 2);
    return line;
  }
  std::string read_bytes(std::size_t count) {
    while (buffer_.size() < count) read_more_or_throw();
    const std::string bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
  }

  Answer ask(std::string_view request, bool has_body = true) {
    send(request);
    return read_answer(has_body);
  }

  /// Whether the server ends the stream, and has sent nothing more before.
  bool is_closed_by_server() { return buffer_.empty() && read_more() == 0; }
  /// Whether the connection ends, in order or by a reset, after whatever the server may still send.
  bool ends() {
    ssize_t count = 1;
    while (count > 0) count = read_more();
    return count == 0 || errno == ECONNRESET;
  }
  /// Whether bytes, or the end, are there to read within `ms`.
  bool is_readable_within(int ms) {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, ms) == 1;
  }

  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  /// Closes so that the server gets a reset instead of an end.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  /// Makes the kernel hold little for a client that does not read.
  void shrink_receive_buffer() {
    const int bytes = 4096;
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }

 private:
  void connect_v4(const std::string& host, std::uint16_t port) {
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &peer.sin_addr);
    connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&peer), sizeof peer);
  }
  void connect_v6(std::uint16_t port) {
    sockaddr_in6 peer{};
    peer.sin6_family = AF_INET6;
    peer.sin6_port = htons(port);
    peer.sin6_addr = in6addr_loopback;
    connect_to(AF_INET6, reinterpret_cast<const sockaddr*>(&peer), sizeof peer);
  }
  void connect_to(int family, const sockaddr* peer, socklen_t size) {
    socket_ = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || ::connect(socket_, peer, size) != 0) throw std::runtime_error("cannot connect");
  }

  ssize_t read_more() {
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
    return count;
  }
  void read_more_or_throw() {
    if (read_more() <= 0) throw std::runtime_error("the connection ended before the answer: '" + buffer_ + "'");
  }

  static Answer parse_head(const std::string& head) {
    Answer answer;
    std::size_t end = head.find("\r\n");
    answer.status = std::stoi(head.substr(9, 3));
    answer.reason = head.substr(13, end - 13);
    while (end != std::string::npos) {
      const std::size_t begin = end + 2;
      end = head.find("\r\n", begin);
      const std::string line = head.substr(begin, end == std::string::npos ? end : end - begin);
      const std::size_t colon = line.find(": ");
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      answer.headers[name] = line.substr(colon + 2);
    }
    return answer;
  }

  int socket_ = -1;
  std::string buffer_;
};

}  // namespace semel::http
