#include "domain/dispatch_target.hpp"

#include <algorithm>
#include <array>

namespace semel::domain {
namespace {

constexpr std::string_view cloud_tasks = "cloudtasks://";

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// Project ids also have dots and colons: "example.com:project".
bool is_part(std::string_view text, std::string_view more) {
  return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_id_character(c) || more.find(c) != std::string_view::npos;
  });
}

std::string_view take_segment(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  return segment;
}

bool is_queue_path(std::string_view path) {
  static constexpr std::array<std::string_view, 3> collections{"projects", "locations", "queues"};
  if (std::count(path.begin(), path.end(), '/') != 5) return false;
  for (const std::string_view collection : collections) {
    if (take_segment(path) != collection) return false;
    if (!is_part(take_segment(path), collection == "projects" ? ".:" : "")) return false;
  }
  return true;
}

Result<DispatchTarget> parse_cloud_tasks(std::string_view text) {
  const std::string_view rest = text.substr(cloud_tasks.size());
  const std::size_t mark = rest.find('?');
  CloudTasksTarget target{std::string(rest.substr(0, mark)), {}};
  if (!is_queue_path(target.queue))
    return bad_request("'{}' is not a target such as cloudtasks://projects/P/locations/L/queues/Q", text);
  if (mark == std::string_view::npos) return target;
  const std::string_view query = rest.substr(mark + 1);
  if (!query.starts_with("url=") || query.find('&') != std::string_view::npos)
    return bad_request("after the '?' of a Cloud Tasks target stands url= and the escaped url that tasks go to: '{}'",
                       text);
  std::optional<std::string> url = percent_decode(query.substr(4));
  if (!url) return bad_request("the url of the target '{}' is not escaped well", text);
  if (const Result<HttpUrl> checked = parse_http_url(*url); !checked) return pass_on(checked.error());
  target.deliver_to = *std::move(url);
  return target;
}

}  // namespace

bool is_cloud_task_id(std::string_view id) {
  return !id.empty() && id.size() <= limits::cloud_task_id_chars_max &&
         std::all_of(id.begin(), id.end(), is_id_character);
}

Result<DispatchTarget> parse_dispatch_target(std::string_view text) {
  if (text.size() > limits::target_bytes_max)
    return bad_request("target has {} bytes; at most {} are allowed", text.size(), limits::target_bytes_max);
  if (text.starts_with(cloud_tasks)) return parse_cloud_tasks(text);
  if (!text.starts_with("http://") && !text.starts_with("https://"))
    return bad_request("target must begin with http://, https:// or cloudtasks://, not '{}'", text);
  return parse_http_url(text).map([](HttpUrl url) { return DispatchTarget(HttpTarget{std::move(url)}); });
}

}  // namespace semel::domain
