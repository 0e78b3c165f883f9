#pragma once
#include <optional>
#include <string>

namespace semel::http {

/// The parts of a request's head that matter to Semel, as they stood on the wire.
struct Head {
  std::string method;
  std::string target;
  std::string content_type;
  std::string authorization;
  std::string request_id;
  std::string host;
  std::string origin;
  std::string fetch_site;
  std::string fetch_mode;
  std::string fetch_dest;
  std::string accept_encoding;
  std::string if_none_match;
  std::optional<std::string> idempotency_key;
  std::optional<std::string> last_event_id;
  bool is_http11 = false;
  bool has_host = false;
  bool has_content_type = false;
  bool has_authorization = false;
  bool has_length = false;
  bool repeats_field = false;  // one of those that may stand only once stands twice
  bool expects_continue = false;
  bool expects_other = false;
  bool has_other_coding = false;  // a Transfer-Encoding that is not just "chunked"
  bool is_chunked = false;
};

}  // namespace semel::http
