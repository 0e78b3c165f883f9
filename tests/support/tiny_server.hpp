#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace semel::test {

/// A server for one test: hears one request a connection, one connection at a time, and answers what it is told to.
class TinyServer {
 public:
  /// Gets the whole request and its number, from 1; gives the whole answer, or "" to hang up without one. Called on a
  /// thread of its own.
  using Handler = std::function<std::string(const std::string& request, std::size_t number)>;

  explicit TinyServer(Handler handler);
  ~TinyServer();
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;

  /// "127.0.0.1:PORT"
  const std::string& address() const { return address_; }

  /// What was asked until now.
  std::vector<std::string> requests() const;
  static std::string target_of(const std::string& request);
  static std::string body_of(const std::string& request);

  /// An answer with this status and JSON body, after which the connection is closed.
  static std::string json(int status, const std::string& body, const std::string& headers = "");

 private:
  void serve();
  /// Its number.
  std::size_t keep(const std::string& request);

  const Handler handler_;
  int listener_ = -1;
  std::string address_;
  mutable std::mutex mutex_;  // guards requests_
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace semel::test
