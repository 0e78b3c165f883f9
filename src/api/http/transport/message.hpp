#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace semel::http {

/// Tells a handler that waits that nobody waits for its answer any more.
class Liveness {
 public:
  virtual ~Liveness() = default;
  /// Runs `callback` once, on any thread, if the client goes away before the response has been given. Set
  /// before the wait begins; costs nothing for requests that never call it.
  virtual void on_gone(std::function<void()> callback) = 0;
};

/// A request as the session hands it to the application: whole, within the limits, its path decoded.
struct Request {
  std::string method;                                      // "GET", "POST", …
  std::string path;                                        // percent-decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  std::string content_type;                                // lower case, without parameters; empty when absent
  std::optional<std::string> idempotency_key;              // the header's raw value
  std::optional<std::string> last_event_id;                // the header's raw value
  std::string authorization;
  std::string if_none_match;  // the header's raw value
  bool accepts_gzip = false;
  std::string body;
  std::string request_id;  // the client's X-Request-Id if it is sane, else a fresh one
  bool from_loopback = false;
  std::shared_ptr<Liveness> liveness;

  /// The first query parameter of that name.
  const std::string* query_value(std::string_view name) const {
    for (const auto& [key, value] : query) {
      if (key == name) return &value;
    }
    return nullptr;
  }
};

/// A body that goes on, sent piece by piece as it comes. All but the waking is called on the connection's thread.
class Feed {
 public:
  virtual ~Feed() = default;
  /// Called once, before all else. `wake` may be called from any thread, and after the connection's end.
  virtual void begin(std::function<void()> wake) = 0;
  /// Appends the next piece, when all before it has been sent. Nothing: not before a wake. False: that was the last.
  virtual bool pull(std::string& piece) = 0;
  /// Appends what shows a client that has heard nothing for a while that somebody is there. False: it is over.
  virtual bool keep_alive(std::string& piece) = 0;
};

struct Response {
  int status = 200;
  std::string body;
  std::string_view content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;  // beyond content type, length and request id
  std::shared_ptr<Feed> feed = nullptr;                      // instead of the body
};

/// Answers one request: called exactly once, from any thread.
using Respond = std::function<void(Response)>;

/// The application behind the server. Called on the server's threads, so it must not block.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(Request request, Respond respond) = 0;
  /// The body limit of a request, asked for once its head is known; larger ones get 413 without being read.
  virtual std::size_t body_bytes_max(std::string_view method, std::string_view path) const = 0;
};

}  // namespace semel::http
