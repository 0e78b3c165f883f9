#include "tests/support/http_herd.hpp"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace semel::test {
namespace {

constexpr int patience_ms = 60'000;

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void send_whole(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) throw std::runtime_error("a connection of the herd takes no request");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Asks for one event: an answered connection that the server then closes is of no interest.
void watch(int epoll, int operation, int socket, std::size_t which) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLONESHOT;
  event.data.u64 = which;
  epoll_ctl(epoll, operation, socket, &event);
}

void receive(int socket, std::string& received) {
  std::array<char, 16'384> bytes;
  const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count <= 0) throw std::runtime_error("a connection of the herd ended without an answer");
  received.append(bytes.data(), static_cast<std::size_t>(count));
}

}  // namespace

HttpHerd::HttpHerd(const std::string& address, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  raise_descriptor_limit();
  for (std::size_t i = 0; i < count; ++i) {
    sockets_.push_back(connect_to(address));
    watch(epoll_, EPOLL_CTL_ADD, sockets_.back(), i);
  }
}

HttpHerd::~HttpHerd() {
  for (const int socket : sockets_) ::close(socket);
  ::close(epoll_);
}

std::vector<HttpAnswer> HttpHerd::rush(const std::vector<HttpRequest>& requests) {
  send_all(requests);
  return read_all();
}

void HttpHerd::send_all(const std::vector<HttpRequest>& requests) {
  std::vector<std::string> bytes;
  for (const HttpRequest& request : requests) bytes.push_back(to_bytes(request));
  for (std::size_t i = 0; i < sockets_.size(); ++i) send_whole(sockets_[i], bytes[i % bytes.size()]);
}

std::vector<HttpAnswer> HttpHerd::read_all() {
  std::vector<HttpAnswer> answers(sockets_.size());
  std::vector<std::string> received(sockets_.size());
  std::array<epoll_event, 256> events;
  for (std::size_t i = 0; i < sockets_.size(); ++i) watch(epoll_, EPOLL_CTL_MOD, sockets_[i], i);
  for (std::size_t missing = sockets_.size(); missing > 0;) {
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), patience_ms);
    if (count <= 0) throw std::runtime_error(std::to_string(missing) + " answers do not come");
    for (int i = 0; i < count; ++i) {
      const std::size_t which = events[static_cast<std::size_t>(i)].data.u64;
      receive(sockets_[which], received[which]);
      const bool whole = take_answer(received[which], true, answers[which]);
      if (whole && !received[which].empty()) throw std::runtime_error("more than an answer came");
      if (whole) --missing;
      else watch(epoll_, EPOLL_CTL_MOD, sockets_[which], which);
    }
  }
  return answers;
}

}  // namespace semel::test
