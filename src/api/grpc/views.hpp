#pragma once
#include <semel/v1/task.pb.h>

#include "engine/answers.hpp"

namespace semel::rpc {

void write_task(v1::Task& to, const engine::TaskView& view);
/// `running`: who has what runs, where that is asked for.
void write_page(v1::ListTasksResponse& to, const Page& page, const std::vector<domain::Attempt>& running);
void write_key(v1::FindTaskByKeyResponse& to, const engine::KeyView& view);
void write_result(v1::AwaitResultResponse& to, const engine::ResultView& view);
void write_holder(v1::Holder& to, const Held& held, std::optional<Time> window_end);

}  // namespace semel::rpc
