#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace semel::http {

/// Whether a client's X-Request-Id may be used: 1 to 128 characters of [A-Za-z0-9._-].
bool is_sane_request_id(std::string_view text);

/// Makes request ids of 16 hex digits: a counter, scrambled one to one with a salt, so that no two of a
/// server are the same and those of two servers hardly ever are. Callable from any thread.
class RequestIds {
 public:
  explicit RequestIds(std::uint64_t salt) : salt_(salt) {}
  std::string next();

 private:
  const std::uint64_t salt_;
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace semel::http
