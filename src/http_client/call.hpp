#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace semel::http_client {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// One request, and how long it may take. Host, User-Agent and Content-Length are added.
struct Call {
  std::string method = "GET";
  std::string target = "/";  // path and query, escaped
  Headers headers{};
  std::string body{};
  Duration send_time = 30s;  // until all of it is sent
  Duration head_time = 30s;  // then until the answer's head is there
  Duration body_time = 30s;  // and then its body
};

struct Reply {
  int status = 0;
  std::string body{};
  std::optional<Duration> retry_after{};
};

/// Why there is no whole answer.
struct Failure {
  enum class Kind : std::uint8_t { timeout, closed, certificate, forbidden_address, too_large, other };

  Kind kind = Kind::other;
  bool is_begun = false;  // something was sent: whether the call was carried out is not known
  int status = 0;         // of the answer's head, if that came
  std::string message{};  // "it does not answer in time"
};

using Outcome = tl::expected<Reply, Failure>;

}  // namespace semel::http_client
