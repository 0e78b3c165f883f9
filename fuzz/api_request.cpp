#include "fuzz/api_request.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "api/http/routes.hpp"
#include "api/http/transport/head_check.hpp"
#include "api/http/transport/request_reader.hpp"

namespace semel::fuzz {
namespace {

constexpr std::size_t steps_max = 5;
constexpr std::size_t header_bytes_max = 16 << 10;
constexpr std::size_t request_bytes_max = 1 << 20;
constexpr std::int64_t pause_ms_max = 400LL * 24 * 3'600'000;

/// Takes what is before `end` off the front, and `end` too.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
  return taken;
}

std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2'166'136'261;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619;
  return hash;
}

const http::Route& route_named(std::string_view method, std::string_view path) {
  const auto routes = http::all_routes();
  const auto named = std::find_if(routes.begin(), routes.end(),
                                  [&](const http::Route& each) { return each.method == method && each.path == path; });
  if (named != routes.end()) return *named;
  return routes[(hash_of(method) ^ hash_of(path)) % routes.size()];
}

/// Stands for a part that the input does not give.
std::string usual_part(std::string_view part, std::string_view path) {
  if (part == "{namespace}") return "shop";
  if (part == "{name}") return "charge";
  if (part == "{version}") return "1.0.0";
  if (part == "{queue}") return "mail";
  if (part == "{schedule}") return "nightly";
  if (part == "{step}") return "ship";
  if (part == "{hash}") return "$hash";
  if (part == "{attempt_id}") return "$attempt";
  if (part == "{external_id}") return "$external";
  if (path.starts_with("/v1/workflows")) return "$workflow";
  if (path.starts_with("/v1/promises")) return "$promise";
  if (path.starts_with("/v1/keys")) return "$key";
  return "$pending";
}

/// The route's path with the parts of `given`: "shop/charge?limit=1".
std::string target_of(const http::Route& route, std::string_view given) {
  std::string_view query = given;
  std::string_view parts = take_until(query, "?");
  const bool has_query = given.find('?') != std::string_view::npos;
  std::string target;
  for (std::string_view path = route.path.substr(1); !path.empty();) {
    const std::string_view segment = take_until(path, "/");
    target += '/';
    if (!segment.starts_with('{')) target += segment;
    else if (const std::string_view part = take_until(parts, "/"); !part.empty()) target += part;
    else target += usual_part(segment, route.path);
  }
  if (has_query) target += '?' + std::string(query);
  return target;
}

/// The bytes that a client would send.
std::string wire_of(std::string_view step, const Names& names) {
  std::string_view rest = step;
  std::string_view line = take_until(rest, "\n");
  std::string_view head;
  if (rest.starts_with('\n')) rest.remove_prefix(1);
  else head = take_until(rest, "\n\n");

  const bool is_any = line.starts_with('=');
  if (is_any) line.remove_prefix(1);
  const std::string_view method = take_until(line, " ");
  const std::string_view path = take_until(line, " ");
  const http::Route& route = route_named(method, path);
  const std::string body = with_values(rest, names);
  std::string wire = is_any ? std::string(method) + " " + with_values(path, names)
                            : std::string(route.method) + " " + with_values(target_of(route, line), names);
  wire += " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  if (!body.empty()) wire += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!body.empty() && head.find("Content-Type:") == std::string_view::npos) {
    const bool is_yaml = !is_any && route.body == http::Body::json_or_yaml && !body.starts_with('{');
    wire += is_yaml ? "Content-Type: application/yaml\r\n" : "Content-Type: application/json\r\n";
  }
  while (!head.empty()) wire += with_values(take_until(head, "\n"), names) + "\r\n";
  return wire + "\r\n" + body;
}

}  // namespace

std::vector<std::string_view> steps_in(std::string_view input) {
  std::vector<std::string_view> steps;
  while (!input.empty() && steps.size() < steps_max) steps.push_back(take_until(input, "\n%%\n"));
  return steps;
}

std::optional<Duration> pause_in(std::string_view step) {
  constexpr std::string_view word = "AFTER ";
  if (!step.starts_with(word)) return std::nullopt;
  std::int64_t ms = 0;
  std::from_chars(step.data() + word.size(), step.data() + step.size(), ms);
  return Duration{std::clamp<std::int64_t>(ms, 0, pause_ms_max)};
}

std::optional<http::Request> request_in(std::string_view step, const Names& names) {
  static const http::OriginPolicy origins{true, "127.0.0.1"};
  const std::string wire = wire_of(step, names);
  std::string_view bytes = wire;
  http::RequestReader reader(header_bytes_max);
  reader.begin();
  if (reader.feed(bytes) != http::RequestReader::Event::head) return std::nullopt;
  if (check_head(reader.head(), origins)) return std::nullopt;
  Result<http::Request> request = to_request(std::move(reader.head()));
  if (!request || !reader.limit_body(request_bytes_max)) return std::nullopt;
  if (reader.feed(bytes) != http::RequestReader::Event::complete) return std::nullopt;
  request->body = std::move(reader.body());
  request->request_id = "fuzz";
  request->from_loopback = true;
  return *std::move(request);
}

}  // namespace semel::fuzz
