#include "dispatch/cloud_task.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/json/writer.hpp"

namespace semel::dispatch {

http_client::Call create_task(const CloudTask& task, const PushRequest& request, const std::string& access_token) {
  json::Writer writer;
  writer.begin_object().key("task").begin_object();
  writer.string("name", fmt::format("{}/tasks/{}", task.queue, task.id));
  if (task.schedule_time) writer.string("scheduleTime", to_rfc3339(*task.schedule_time));
  writer.key("httpRequest").begin_object().string("url", task.deliver_to).string("httpMethod", "POST");
  writer.key("headers").begin_object();
  for (const auto& [name, value] : request.headers) writer.string(name, value);
  writer.end_object().string("body", to_base64(request.body));
  writer.end_object().end_object().end_object();

  http_client::Call call;
  call.method = "POST";
  call.target = fmt::format("/v2/{}/tasks", task.queue);
  call.headers.emplace_back("Authorization", "Bearer " + access_token);
  call.headers.emplace_back("Content-Type", "application/json");
  call.body = writer.take();
  return call;
}

}  // namespace semel::dispatch
