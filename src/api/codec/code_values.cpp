#include "api/codec/code_values.hpp"

#include "api/codec/work_values.hpp"
#include "domain/names.hpp"

namespace semel::codec {

Result<std::string> read_payload(std::string_view field, std::string_view text) {
  std::string canonical;
  const Result<std::string_view> value = read_value(field, text, canonical);
  if (!value) return pass_on(value.error());
  if (Result<void> fits = check_payload(field, value->size()); !fits) return pass_on(fits.error());
  return std::string(*value);
}

Result<domain::code::ScheduleTask> step_of(domain::Submission submission) {
  if (submission.run_at || submission.deadline)
    return bad_request("a step of a workflow has no run_at or deadline; use a delay or a timeout");
  domain::code::ScheduleTask task;
  task.handler = *std::move(submission.handler);
  task.queue = std::move(submission.queue);
  task.context = std::move(submission.context);
  task.key = std::move(submission.key);
  task.ttl = submission.ttl;
  task.retry = submission.retry;
  task.timeout = submission.timeout;
  task.delay = submission.delay.value_or(Duration{0});
  task.deadline_after = submission.deadline_after;
  task.concurrency_key = std::move(submission.concurrency_key);
  task.labels = std::move(submission.labels);
  return task;
}

Result<domain::code::Signal> read_signal(std::string_view name, std::string_view value) {
  if (Result<void> fits = domain::check_key("name", name); !fits) return pass_on(fits.error());
  Result<std::string> read = read_payload("value", value);
  if (!read) return pass_on(read.error());
  return domain::code::Signal{std::string(name), *std::move(read)};
}

}  // namespace semel::codec
