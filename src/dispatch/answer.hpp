#pragma once
#include <string>
#include <string_view>

#include "http_client/call.hpp"
#include "ports/dispatch_target.hpp"

namespace semel::dispatch {

/// What an endpoint's answer means. Any 2xx but 202 says that the task is done, and its body is the result.
SendAnswer answer_of_endpoint(const http_client::Outcome& outcome);

/// What the answer of Google to tasks.create means: at best that it will deliver the task.
SendAnswer answer_of_cloud_tasks(const http_client::Outcome& outcome);

/// The beginning of a body that may be anything: valid UTF-8 without control characters.
std::string excerpt(std::string_view body);

}  // namespace semel::dispatch
