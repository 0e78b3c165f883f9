#pragma once
#include <semel/v1/task.pb.h>

#include <vector>

#include "api/codec/refusal.hpp"
#include "base/result.hpp"
#include "domain/submission.hpp"

namespace semel::rpc {

Result<domain::Submission> read_submission(const v1::SubmitTaskRequest& request);
/// Each is refused alone; too many or none refuse the whole.
Result<std::vector<Result<domain::Submission>>> read_batch(const v1::SubmitTasksRequest& request);

void write_submitted(v1::SubmitTaskResponse& to, const codec::Submitted& submitted);
void write_batch(v1::SubmitTasksResponse& to, const std::vector<engine::SubmitAnswer>& answers);

}  // namespace semel::rpc
