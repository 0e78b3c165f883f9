#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "api/http/transport/response_text.hpp"

namespace semel::http {

/// What is left to write of one answer: head and body in one piece, or in two when the body is too large to
/// copy.
class Outbox {
 public:
  void load(Response response, const ResponseFrame& frame);
  void load(std::string text);
  bool is_empty() const { return written_ == head_.size() + body_.size(); }
  std::string_view first() const;   // what is left of the first piece
  std::string_view second() const;  // and of the second, which may be empty
  void sent(std::size_t bytes) { written_ += bytes; }
  /// Gives a large body's memory back.
  void clear();

 private:
  std::string head_;
  std::string body_;
  std::size_t written_ = 0;
};

}  // namespace semel::http
