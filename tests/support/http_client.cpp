#include "tests/support/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <stdexcept>

namespace semel::test {
namespace {

constexpr std::string_view head_end = "\r\n\r\n";

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpAnswer parse_head(std::string_view head) {
  HttpAnswer answer;
  answer.status = std::stoi(std::string(head.substr(9, 3)));
  std::size_t end = head.find("\r\n");
  while (end != std::string_view::npos) {
    const std::size_t begin = end + 2;
    end = head.find("\r\n", begin);
    const std::string_view line = head.substr(begin, end == std::string_view::npos ? end : end - begin);
    const std::size_t colon = line.find(": ");
    answer.headers[lower_case(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
  }
  return answer;
}

std::string error_member(const HttpAnswer& answer, const char* name) {
  const Json json = answer.json();
  return json.is_object() && json.contains("error") ? json["error"].value(name, "") : "";
}

}  // namespace

std::string to_bytes(const HttpRequest& request) {
  std::string bytes = request.method + " " + request.target + " HTTP/1.1\r\n";
  const auto has = [&](std::string_view name) {
    return std::any_of(request.headers.begin(), request.headers.end(),
                       [&](const auto& header) { return header.first == name; });
  };
  if (!has("Host")) bytes += "Host: localhost\r\n";
  if (!request.key.empty()) bytes += "Authorization: Bearer " + request.key + "\r\n";
  for (const auto& [name, value] : request.headers) bytes.append(name).append(": ").append(value).append("\r\n");
  if (!request.body.empty() && !has("Content-Type")) bytes += "Content-Type: application/json\r\n";
  const bool has_length = !request.body.empty() || request.method == "POST" || request.method == "PUT";
  if (has_length) bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return bytes + "\r\n" + request.body;
}

std::string HttpAnswer::code() const { return error_member(*this, "code"); }
std::string HttpAnswer::message() const { return error_member(*this, "message"); }

bool take_answer(std::string& received, bool has_body, HttpAnswer& answer) {
  const std::size_t end = received.find(head_end);
  if (end == std::string::npos) return false;
  HttpAnswer read = parse_head(std::string_view(received).substr(0, end));
  const auto length = read.headers.find("content-length");
  const bool counts = has_body && length != read.headers.end();
  const std::size_t bytes = counts ? std::stoul(length->second) : 0;
  const std::size_t begin = end + head_end.size();
  if (received.size() < begin + bytes) return false;
  read.body = received.substr(begin, bytes);
  received.erase(0, begin + bytes);
  answer = std::move(read);
  return true;
}

int connect_to(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &peer.sin_addr);
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) throw std::runtime_error("cannot make a socket");
  if (::connect(made, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) != 0) {
    ::close(made);
    throw std::runtime_error("cannot connect to " + address);
  }
  const int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

HttpClient::HttpClient(const std::string& address) : socket_(connect_to(address)) {
  const timeval guard{.tv_sec = 60, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof guard);
}

HttpAnswer HttpClient::ask(const HttpRequest& request) {
  send(request);
  return read(request.method != "HEAD");
}

void HttpClient::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // the server may have answered early and closed: reading tells
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

HttpAnswer HttpClient::read(bool has_body) {
  HttpAnswer answer;
  while (!take_answer(received_, has_body, answer)) receive();
  return answer;
}

std::string HttpClient::read_until(std::string_view mark) {
  std::size_t at = 0;
  while ((at = received_.find(mark)) == std::string::npos) receive();
  std::string text = received_.substr(0, at);
  received_.erase(0, at + mark.size());
  return text;
}

void HttpClient::receive() {
  char bytes[65536];
  const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
  if (count <= 0) throw std::runtime_error("no whole answer came; received: '" + received_ + "'");
  received_.append(bytes, static_cast<std::size_t>(count));
}

bool HttpClient::wait_for_end() {
  char byte = 0;
  return received_.empty() && ::recv(socket_, &byte, 1, 0) <= 0;
}

bool HttpClient::has_answer() const {
  pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
  return !received_.empty() || ::poll(&waiting, 1, 0) == 1;
}

void HttpClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

}  // namespace semel::test
