#include "api/http/transport/head_check.hpp"

#include <utility>

#include "api/http/transport/accept_encoding.hpp"
#include "api/http/transport/ascii.hpp"
#include "api/http/transport/target.hpp"

namespace semel::http {
namespace {

/// "Application/JSON; charset=utf-8" → "application/json"
std::string media_type(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return lower_case(type.substr(0, type.find_last_not_of(" \t") + 1));
}

}  // namespace

std::optional<Refusal> check_head(const Head& head, const OriginPolicy& origins) {
  if (head.has_other_coding || (head.is_chunked && !head.is_http11)) return unsupported_coding_refusal();
  if (head.is_chunked && head.has_length) {
    return bad_request_refusal("send either Content-Length or Transfer-Encoding, not both");
  }
  if (head.repeats_field) {
    return bad_request_refusal(
        "Host, Content-Length, Content-Type, Authorization and Idempotency-Key may be sent only once");
  }
  if (head.is_http11 && !head.has_host) return bad_request_refusal("an HTTP/1.1 request needs a Host header");
  if (head.expects_other) return unmet_expectation_refusal();
  return origins.check(head);
}

Result<Request> to_request(Head&& head) {
  Result<Target> target = parse_target(head.target);
  if (!target) return pass_on(std::move(target.error()));
  Request request;
  request.method = head.method == "HEAD" ? "GET" : std::move(head.method);
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.content_type = media_type(head.content_type);
  request.idempotency_key = std::move(head.idempotency_key);
  request.last_event_id = std::move(head.last_event_id);
  request.authorization = std::move(head.authorization);
  request.accepts_gzip = accepts_gzip(head.accept_encoding);
  request.if_none_match = std::move(head.if_none_match);
  return request;
}

}  // namespace semel::http
