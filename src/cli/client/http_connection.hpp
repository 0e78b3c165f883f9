#pragma once
#include <functional>
#include <memory>
#include <string>

#include "cli/client/transport.hpp"
#include "cli/client/url.hpp"

namespace boost::asio {
class io_context;
}

namespace semel::http_client {
class Connection;
}

namespace semel::cli {

struct HttpOptions {
  std::string key = {};        // sent as "Authorization: Bearer KEY" unless empty
  std::string ca_cert = {};    // a PEM file to trust beside the system's
  Duration connect_time = 5s;  // how long connecting may take
  Duration answer_time = 30s;  // how long sending, and then answering, may take
};

/// A server and how to talk to it: what all connections to it share.
class HttpPeer;
std::shared_ptr<HttpPeer> make_http_peer(Url url, HttpOptions options);

/// One connection to a server, made with the first call and kept alive. It waits for nothing: what happens, happens on
/// the loop, to whose thread it belongs.
class HttpConnection {
 public:
  /// As Transport::send() answers.
  using Done = std::function<void(Result<HttpReply>)>;

  HttpConnection(boost::asio::io_context& loop, std::shared_ptr<HttpPeer> peer);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// One call at a time. `done` is called from the loop, never from here.
  void send(const HttpCall& call, Done done);

  /// Hangs up. If a call is under way, its `done` is not called, and whether it was carried out is not known.
  void abandon();

  /// Tells the server that nobody waits for the call any longer, yet leaves the way open for an answer that was already
  /// made. False where that cannot be said: then the call is abandoned.
  bool stop_waiting();

 private:
  const std::shared_ptr<HttpPeer> peer_;
  const std::unique_ptr<http_client::Connection> connection_;
};

}  // namespace semel::cli
