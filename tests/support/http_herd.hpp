#pragma once
#include <string>
#include <vector>

#include "tests/support/http_client.hpp"

namespace semel::test {

/// Many connections driven by one thread. All are connected when the constructor returns; rush() then writes
/// to all of them before it reads from any, so that the server has all requests at once.
class HttpHerd {
 public:
  HttpHerd(const std::string& address, std::size_t count);
  ~HttpHerd();
  HttpHerd(const HttpHerd&) = delete;
  HttpHerd& operator=(const HttpHerd&) = delete;

  std::size_t size() const { return sockets_.size(); }
  /// Sends requests[i % requests.size()] on connection i; the answers are in the order of the connections.
  /// Throws std::runtime_error when a connection ends without an answer, or when none comes for a minute.
  std::vector<HttpAnswer> rush(const std::vector<HttpRequest>& requests);

  /// The two halves of rush().
  void send_all(const std::vector<HttpRequest>& requests);
  std::vector<HttpAnswer> read_all();

 private:
  int epoll_ = -1;
  std::vector<int> sockets_;
};

}  // namespace semel::test
