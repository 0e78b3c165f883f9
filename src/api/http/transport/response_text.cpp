#include "api/http/transport/response_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>

#include "api/http/transport/ascii.hpp"
#include "base/ensure.hpp"

namespace semel::http {
namespace {

void append_number(std::string& text, std::size_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  text.append(digits.begin(), end);
}

void append_field(std::string& text, std::string_view name, std::string_view value) {
  ensure(name.find_first_of("\r\n:") == std::string_view::npos);
  ensure(value.find_first_of("\r\n") == std::string_view::npos);
  text.append(name).append(": ").append(value).append("\r\n");
}

bool has_field(const Response& response, std::string_view name) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [&](const auto& field) { return equals_ignoring_case(field.first, name); });
}

void append_status_line(std::string& text, int status) {
  ensure(status >= 200 && status <= 599);
  text.append("HTTP/1.1 ");
  append_number(text, static_cast<std::size_t>(status));
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  text.append(" ").append(std::string_view(boost::beast::http::obsolete_reason(known))).append("\r\n");
}

void append_length(const Response& response, const ResponseFrame& frame, std::string& text) {
  if (response.feed) {  // HTTP/1.0 knows its end by the connection's
    if (!frame.is_http10) text.append("Transfer-Encoding: chunked\r\n");
    return;
  }
  text.append("Content-Length: ");
  append_number(text, response.body.size());
  text.append("\r\n");
}

bool has_no_content(int status) { return status == 204 || status == 304; }

}  // namespace

bool sends_body(const Response& response, const ResponseFrame& frame) {
  return !frame.is_head && !has_no_content(response.status);
}

void write_head(const Response& response, const ResponseFrame& frame, std::string& text) {
  text.clear();
  append_status_line(text, response.status);
  if (!has_no_content(response.status)) {
    if (!response.content_type.empty()) append_field(text, "Content-Type", response.content_type);
    append_length(response, frame, text);
  }
  append_field(text, "X-Request-Id", frame.request_id);
  text.append("X-Content-Type-Options: nosniff\r\n");
  if (!has_field(response, "Cache-Control")) text.append("Cache-Control: no-store\r\n");
  for (const auto& [name, value] : response.headers) append_field(text, name, value);
  if (frame.closes) text.append("Connection: close\r\n");
  if (!frame.closes && frame.is_http10) text.append("Connection: keep-alive\r\n");
  text.append("\r\n");
}

std::string to_chunks(std::string_view piece, bool is_last) {
  std::string text;
  if (!piece.empty()) text = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  if (is_last) text.append("0\r\n\r\n");
  return text;
}

}  // namespace semel::http
