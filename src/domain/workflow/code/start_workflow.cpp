#include "base/time.hpp"
#include "domain/workflow/code/course.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::domain::code {

Decision start_workflow(Workflow& workflow, Time run_at, Time now) {
  const ExecutionSpec& spec = workflow.spec;
  json::Writer writer;
  writer.begin_object().string("kind", kind_of_workflow(spec.handler)).raw("input", spec.context);
  if (run_at > now) writer.string("run_at", to_rfc3339(run_at));
  if (spec.step) writer.string("parent", spec.step->run.text());
  Course course(workflow);
  course.note(HistoryKind::run_started, "", writer.end_object().take());
  return course.settle();
}

const char* refusal_of_retry(const ExecutionSpec& spec) {
  if (spec.kind == Kind::promise) return "a promise is settled once; create another";
  const bool is_code = spec.kind == Kind::workflow && is_workflow_handler(spec.handler);
  const bool is_of_code = spec.step && command_of(spec.step->task_key);
  if (!is_code && !is_of_code) return nullptr;
  return "a workflow that is written as code, and what it has begun, is not tried again: the same history would end "
         "the same way; start it again";
}

std::optional<Error> refusal_of_workflow(const ExecutionSpec& spec) {
  if (spec.concurrency_key)
    return Error{ErrorCode::bad_request, "a workflow takes no concurrency_key; its tasks do", {}};
  if (!is_workflow_handler(spec.handler))
    return Error{ErrorCode::bad_request, "the handler of a workflow is 'workflow:' and its kind", {}};
  return std::nullopt;
}

}  // namespace semel::domain::code
