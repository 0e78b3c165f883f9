#include "api/http/transport/request_reader.hpp"

#include <fmt/format.h>

#include <boost/beast/http/error.hpp>
#include <utility>

namespace semel::http {
namespace {

using ParseError = boost::beast::http::error;

/// The end of every chunked body, "0\r\n\r\n": whoever is inside one has at least this much before him.
constexpr std::size_t chunked_bytes_min = 5;

/// Beast wants a limit for what it holds back of a head; ours, for the whole head, is checked outside of it.
constexpr std::uint32_t no_limit = UINT32_MAX;

Refusal refusal_of(boost::beast::error_code error) {
  if (error == ParseError::bad_version) return bad_request_refusal("speak HTTP/1.1 or HTTP/1.0");
  if (error == ParseError::bad_content_length || error == ParseError::multiple_content_length ||
      error == ParseError::bad_transfer_encoding) {
    return bad_request_refusal("send one Content-Length in decimal, or Transfer-Encoding: chunked, not both");
  }
  return bad_request_refusal(fmt::format("the request is not HTTP/1.1: {}", error.message()));
}

Refusal framing_too_long() { return bad_request_refusal("a chunk's header or the trailers are too long"); }

}  // namespace

void RequestReader::begin() {
  head_ = Head();
  body_.clear();
  parser_.emplace(head_, body_);
  parser_->header_limit(no_limit);
  refusal_.reset();
  head_bytes_ = 0;
  head_is_told_ = false;
}

RequestReader::Event RequestReader::feed(std::string_view& bytes) {
  while (!parser_->is_done()) {
    if (bytes.empty()) return Event::more;
    // Fed fewer bytes than these, Beast 1.81 trips over an assertion of its own (n >= 5) in the last chunk.
    if (head_is_told_ && parser_->chunked() && bytes.size() < chunked_bytes_min) return Event::more;
    boost::beast::error_code error;
    const std::size_t had = body_.size();
    const std::size_t taken = parser_->put(boost::asio::buffer(bytes), error);
    bytes.remove_prefix(taken);
    const Event event = judge(error, taken - (body_.size() - had), bytes.size());
    if (event != Event::complete) return event;
  }
  return Event::complete;
}

/// What a step of the parser means; `complete` if it may go on. `taken` is without the body: a chunk's header or the
/// trailers, which may be as long as a head, whether they come at once or are held back until they are whole.
RequestReader::Event RequestReader::judge(boost::beast::error_code error, std::size_t taken, std::size_t left) {
  const bool needs_more = error == ParseError::need_more;
  if (!head_is_told_) {
    head_bytes_ += taken;
    const std::size_t held_back = needs_more ? left : 0;
    if (head_bytes_ + held_back > header_bytes_max_) return refuse(headers_too_large_refusal(header_bytes_max_));
  } else if (needs_more && left > header_bytes_max_) {
    return refuse(framing_too_long());
  }
  if (needs_more) return Event::more;
  if (error == ParseError::body_limit) return refuse(payload_too_large_refusal(body_bytes_max_));
  if (error) return refuse(refusal_of(error));
  if (head_is_told_ && taken > header_bytes_max_) return refuse(framing_too_long());
  if (head_is_told_ || !parser_->is_header_done()) return Event::complete;
  head_is_told_ = true;
  return Event::head;
}

bool RequestReader::limit_body(std::size_t bytes_max) {
  body_bytes_max_ = bytes_max;
  parser_->body_limit(bytes_max);
  const auto length = parser_->content_length();
  return !length || *length <= bytes_max;
}

RequestReader::Event RequestReader::refuse(Refusal refusal) {
  refusal_ = std::move(refusal);
  return Event::refused;
}

}  // namespace semel::http
