#pragma once
#include <functional>
#include <string>
#include <thread>

namespace semel::test {

/// A server for one test: hears one request a connection, one connection at a time, and answers what it is told to.
class TinyServer {
 public:
  /// Gets the whole request; gives the whole answer, or "" to hang up without one. Called on a thread of its own.
  using Handler = std::function<std::string(const std::string& request)>;

  explicit TinyServer(Handler handler);
  ~TinyServer();
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;

  /// "127.0.0.1:PORT"
  const std::string& address() const { return address_; }

  /// An answer with this status and JSON body, after which the connection is closed.
  static std::string json(int status, const std::string& body, const std::string& headers = "");

 private:
  void serve();

  const Handler handler_;
  int listener_ = -1;
  std::string address_;
  std::thread thread_;
};

}  // namespace semel::test
