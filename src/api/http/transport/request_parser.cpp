#include "api/http/transport/request_parser.hpp"

#include <algorithm>
#include <string_view>

#include "api/http/transport/ascii.hpp"

namespace semel::http {
namespace {

/// What is reserved for a body before it comes: a client that only announces one gets no more memory than
/// this.
constexpr std::uint64_t body_bytes_reserved_max = 64 * 1024;

/// Sets `field`, which may stand only once.
void set_once(std::string& field, bool& seen, std::string_view value, Head& head) {
  if (seen) head.repeats_field = true;
  seen = true;
  field = value;
}

/// A list may come in several fields, which are one.
void add_to_list(std::string& list, std::string_view value) {
  if (!list.empty()) list += ',';
  list += value;
}

}  // namespace

RequestParser::RequestParser(Head& head, std::string& body) : head_(head), body_(body) {
  body_limit(boost::none);  // is set once the head is known; a length beyond it is the session's to refuse
}

void RequestParser::on_request_impl(Verb, Text method, Text target, int version, ErrorCode&) {
  head_.method = method;
  head_.target = target;
  head_.is_http11 = version == 11;
}

void RequestParser::on_field_impl(Field field, Text name, Text text, ErrorCode&) {
  if (head_is_done_) return;  // a trailer must not change a head that has been checked
  const std::string_view value = text;
  switch (field) {
    case Field::host: return set_once(head_.host, head_.has_host, value, head_);
    case Field::content_type: return set_once(head_.content_type, head_.has_content_type, value, head_);
    case Field::authorization: return set_once(head_.authorization, head_.has_authorization, value, head_);
    case Field::content_length:
      if (head_.has_length || value.find(',') != std::string_view::npos) head_.repeats_field = true;
      head_.has_length = true;
      return;
    case Field::transfer_encoding:
      head_.has_other_coding |= !equals_ignoring_case(value, "chunked");
      head_.is_chunked = true;
      return;
    case Field::expect:
      (equals_ignoring_case(value, "100-continue") ? head_.expects_continue : head_.expects_other) = true;
      return;
    case Field::origin: head_.origin = value; return;
    case Field::accept_encoding: return add_to_list(head_.accept_encoding, value);
    case Field::if_none_match: return add_to_list(head_.if_none_match, value);
    default: return on_unknown_field(name, value);
  }
}

void RequestParser::on_unknown_field(std::string_view name, std::string_view value) {
  if (equals_ignoring_case(name, "idempotency-key")) {
    if (head_.idempotency_key) head_.repeats_field = true;
    head_.idempotency_key = value;
  } else if (equals_ignoring_case(name, "last-event-id")) {
    if (head_.last_event_id) head_.repeats_field = true;
    head_.last_event_id = value;
  } else if (equals_ignoring_case(name, "x-request-id")) {
    head_.request_id = value;
  } else if (equals_ignoring_case(name, "sec-fetch-site")) {
    head_.fetch_site = value;
  } else if (equals_ignoring_case(name, "sec-fetch-mode")) {
    head_.fetch_mode = value;
  } else if (equals_ignoring_case(name, "sec-fetch-dest")) {
    head_.fetch_dest = value;
  }
}

void RequestParser::on_header_impl(ErrorCode&) { head_is_done_ = true; }

void RequestParser::on_body_init_impl(const Length& length, ErrorCode&) {
  if (length) body_.reserve(static_cast<std::size_t>(std::min(*length, body_bytes_reserved_max)));
}

std::size_t RequestParser::on_body_impl(Text bytes, ErrorCode&) {
  body_.append(bytes);
  return bytes.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, Text bytes, ErrorCode&) {
  body_.append(bytes);
  return bytes.size();
}

}  // namespace semel::http
