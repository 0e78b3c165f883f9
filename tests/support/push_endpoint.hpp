#pragma once
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/certificate.hpp"

namespace semel::test {

/// A request as an endpoint heard it.
struct EndpointRequest {
  std::size_t number = 0;  // from 1, over all connections
  std::string method = {};
  std::string target = {};
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};

  std::string header(const std::string& name) const { return headers.contains(name) ? headers.at(name) : ""; }
};

/// What an endpoint does with a request.
struct EndpointReply {
  enum class Act {
    answer,        // as is
    hang_up,       // closes the connection without an answer
    cut,           // sends all but the last byte of the body, and closes the connection
    go_silent,     // sends all but the last byte of the body, and nothing more until the endpoint ends
    never_answer,  // sends nothing until the endpoint ends
  };

  int status = 200;
  std::string body = {};
  std::string headers = {};  // whole lines: "Retry-After: 3\r\n"
  Act act = Act::answer;
  bool keeps_alive = true;
};

/// What an endpoint does with every request until a test says otherwise. For any thread.
class CurrentReply {
 public:
  void set(EndpointReply reply) {
    const std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
  }
  EndpointReply get() const {
    const std::lock_guard lock(mutex_);
    return reply_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  EndpointReply reply_;
};

/// A server for tests, on this machine alone, that does what a test wants with every request: answers late, wrongly,
/// twice as much, half or not at all. A thread a connection; the program is called on those, one at a time.
class PushEndpoint {
 public:
  using Program = std::function<EndpointReply(const EndpointRequest&)>;

  explicit PushEndpoint(Program program, std::optional<Certificate> certificate = {}, std::string host = "127.0.0.1");
  ~PushEndpoint();
  PushEndpoint(const PushEndpoint&) = delete;
  PushEndpoint& operator=(const PushEndpoint&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT/path"
  std::string url(const std::string& path = "/") const;

  /// Answers wait until release(), though requests are heard. From the next request on.
  void hold();
  void release();

  /// The next connection is reset when so many bytes have come over it.
  void die_after(std::size_t bytes);

  /// Returns when so many requests have been heard.
  void wait_for(std::size_t count) const;
  std::vector<EndpointRequest> requests() const;
  /// How many connections were made.
  std::size_t connections() const;
  /// Returns when so many connections have ended.
  void wait_for_ends(std::size_t count) const;

 private:
  class Wire;
  void accept_all();
  void serve(Wire& wire);
  bool serve_one(Wire& wire, std::string& received);
  EndpointReply judge(EndpointRequest& request);
  void send(Wire& wire, const EndpointReply& reply);
  void wait_for_end();

  const Program program_;
  const std::shared_ptr<void> tls_;  // OpenSSL's context; null = in the clear
  const std::string host_;
  int listener_ = -1;
  int port_ = 0;
  std::mutex program_mutex_;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  std::vector<EndpointRequest> requests_;
  bool is_holding_ = false;
  bool is_ending_ = false;
  std::optional<std::size_t> die_after_;
  std::size_t ends_ = 0;
  std::list<std::shared_ptr<Wire>> wires_;
  std::vector<std::thread> servers_;

  std::thread acceptor_;
};

}  // namespace semel::test
