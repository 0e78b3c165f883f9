#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/transport/head.hpp"
#include "api/http/transport/refusal.hpp"
#include "api/http/transport/request_parser.hpp"

namespace semel::http {

/// Turns the bytes of a connection into requests, one after the other, within the limits. Knows no socket.
class RequestReader {
 public:
  enum class Event {
    more,      // what is left is not enough: call again with it and more behind it
    head,      // the head is there: check it, and limit the body
    complete,  // the whole request is there
    refused,   // see refusal(); nothing after it can be read
  };

  explicit RequestReader(std::size_t header_bytes_max) : header_bytes_max_(header_bytes_max) {}

  /// Makes ready for the next request.
  void begin();
  /// Takes from the front of `bytes` up to the next event.
  Event feed(std::string_view& bytes);

  Head& head() { return head_; }
  std::string& body() { return body_; }
  const Refusal& refusal() const { return *refusal_; }

  // Once the head is there:
  bool keeps_alive() const { return parser_->keep_alive(); }
  bool has_body() const { return !parser_->is_done(); }
  /// Whether the announced body fits; one without a length is refused when it grows beyond.
  bool limit_body(std::size_t bytes_max);

 private:
  Event refuse(Refusal refusal);
  Event judge(boost::beast::error_code error, std::size_t taken, std::size_t left);

  const std::size_t header_bytes_max_;
  Head head_;
  std::string body_;
  std::optional<RequestParser> parser_;
  std::optional<Refusal> refusal_;
  std::size_t head_bytes_ = 0;
  std::size_t body_bytes_max_ = 0;
  bool head_is_told_ = false;
};

}  // namespace semel::http
