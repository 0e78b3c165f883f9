#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/url.hpp"

namespace semel::domain {

/// An endpoint that tasks are posted to.
struct HttpTarget {
  HttpUrl url;

  bool operator==(const HttpTarget&) const = default;
};

/// A queue of Google Cloud Tasks, which posts tasks to an endpoint in its own time.
struct CloudTasksTarget {
  std::string queue{};                      // "projects/p/locations/l/queues/q"
  std::optional<std::string> deliver_to{};  // the url of the endpoint; absent = what the server is set to

  bool operator==(const CloudTasksTarget&) const = default;
};

using DispatchTarget = std::variant<HttpTarget, CloudTasksTarget>;

/// "https://api.example/tasks", "cloudtasks://projects/p/locations/l/queues/q",
/// "cloudtasks://projects/p/locations/l/queues/q?url=https%3A%2F%2Fapi.example%2Ftasks".
Result<DispatchTarget> parse_dispatch_target(std::string_view text);

/// What Google says of the last part of a task's name: [A-Za-z0-9_-]{1,500}.
bool is_cloud_task_id(std::string_view id);

namespace limits {
inline constexpr std::size_t target_bytes_max = 2000;
inline constexpr std::size_t cloud_task_id_chars_max = 500;
}  // namespace limits

}  // namespace semel::domain
