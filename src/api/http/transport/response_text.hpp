#pragma once
#include <string>
#include <string_view>

#include "api/http/transport/message.hpp"

namespace semel::http {

/// What the connection adds to a response.
struct ResponseFrame {
  std::string_view request_id;
  bool is_head = false;    // the answer to HEAD: the length of the body, but not the body
  bool is_http10 = false;  // then a connection that stays open says so
  bool closes = false;
};

/// Whether the answer carries its body.
bool sends_body(const Response& response, const ResponseFrame& frame);

/// Writes the status line and the headers, up to and with the empty line, over `text`. A line break in a
/// header's name or value is a bug of the handler.
void write_head(const Response& response, const ResponseFrame& frame, std::string& text);

/// A piece of a body whose length is not known; an empty one is none. After the last comes the end.
std::string to_chunks(std::string_view piece, bool is_last);

}  // namespace semel::http
