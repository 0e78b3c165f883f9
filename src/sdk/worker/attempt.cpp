#include "sdk/worker/attempt.hpp"

#include "sdk/workflow/failure.hpp"
#include "sdk/workflow/recorded.hpp"

namespace semel::sdk {

Answer attempt(const detail::TaskFunction& function, RunningTask& task) {
  const std::string& id = task.lease().attempt_id;
  TaskContext context(task);
  try {
    return {id, Completion{function(context, task.lease().context)}};
  } catch (const Failure& failure) {
    return {id, AttemptFailure{failure_text(failure), failure.is_retryable(), failure.pause()}};
  } catch (const std::exception& error) {
    return {id, AttemptFailure{failure_text(error), true, std::nullopt}};
  } catch (...) {
    return {id, AttemptFailure{error_text("exception", "something was thrown that is no std::exception"), true,
                               std::nullopt}};
  }
}

}  // namespace semel::sdk
