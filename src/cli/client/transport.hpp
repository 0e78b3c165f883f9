#pragma once
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"

namespace semel::cli {

struct HttpCall {
  std::string method = "GET";
  std::string target = {};  // path and query, escaped
  std::string body = {};
  std::string content_type = "application/json";
  Duration more_time{0};                  // how much longer than usual the answer may take: what the call waits for
  std::optional<Duration> time_max = {};  // when the answer is needed sooner than usual
};

struct HttpReply {
  int status = 0;
  std::string body = {};
  std::optional<Duration> retry_after = {};
};

/// Sends one request and waits for its answer. For one thread. A refusal (unavailable) means that there was no answer:
/// whether the request was carried out is not known.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<HttpReply> send(const HttpCall& call) = 0;
};

}  // namespace semel::cli
