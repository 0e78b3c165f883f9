#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/json.hpp"

namespace semel::test {

using Json = nlohmann::json;

/// A request as a test writes it; to_bytes() makes HTTP of it.
struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";
  std::string key = {};   // sent as "Authorization: Bearer KEY" unless empty
  std::string body = {};  // sent with its length, and as JSON unless the headers say otherwise
  std::vector<std::pair<std::string, std::string>> headers = {};
};

std::string to_bytes(const HttpRequest& request);

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};

  /// The body as JSON; a body that is not JSON reads as "discarded", which equals nothing.
  Json json() const { return Json::parse(body, nullptr, false); }
  /// The code and the message of a refusal, or "".
  std::string code() const;
  std::string message() const;
  bool operator==(const HttpAnswer&) const = default;
};

/// Reads one answer off the front of what a connection has sent; false while it is not whole.
bool take_answer(std::string& received, bool has_body, HttpAnswer& answer);

/// One keep-alive connection on a plain blocking socket. For one thread at a time. Throws std::runtime_error
/// when the connection ends before an answer, or when an answer takes over a minute, so that a test cannot
/// hang.
class HttpClient {
 public:
  /// `address` is "127.0.0.1:PORT".
  explicit HttpClient(const std::string& address);
  ~HttpClient() { close(); }
  HttpClient(HttpClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}
  HttpClient& operator=(HttpClient&&) = delete;

  HttpAnswer ask(const HttpRequest& request);
  void send(const HttpRequest& request) { send_bytes(to_bytes(request)); }
  void send_bytes(std::string_view bytes);
  HttpAnswer read(bool has_body = true);
  /// What comes before the mark, which is read too.
  std::string read_until(std::string_view mark);
  /// Returns when the server has ended the connection; false when it sent something before.
  bool wait_for_end();
  /// Whether anything has come that was not read yet. Does not wait.
  bool has_answer() const;
  void close();

 private:
  void receive();

  int socket_ = -1;
  std::string received_;
};

/// The socket of a new connection to "127.0.0.1:PORT". Throws std::runtime_error.
int connect_to(const std::string& address);

}  // namespace semel::test
