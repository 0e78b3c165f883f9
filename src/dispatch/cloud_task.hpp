#pragma once
#include <string>

#include "base/time.hpp"
#include "dispatch/push_request.hpp"
#include "http_client/call.hpp"

namespace semel::dispatch {

/// What Google is asked to do.
struct CloudTask {
  std::string queue;                    // "projects/p/locations/l/queues/q"
  std::string id;                       // the last part of its name
  std::string deliver_to;               // the url of the endpoint
  std::optional<Time> schedule_time{};  // absent = now
};

/// projects.locations.queues.tasks.create of the REST API, version 2.
http_client::Call create_task(const CloudTask& task, const PushRequest& request, const std::string& access_token);

}  // namespace semel::dispatch
