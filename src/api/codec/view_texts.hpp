#pragma once
#include <string>
#include <string_view>

#include "domain/dispatch_id.hpp"
#include "engine/answers.hpp"

/// What stands in views, on whichever wire.
namespace semel::codec {

/// "24h after closing"
std::string window_text(const domain::Window& window);
std::string_view action_name(domain::Explanation::Action action);
/// Names as they are, ids in hexadecimal digits.
std::string scope_text(const domain::Plan& plan);
/// What the explained submission would be answered.
engine::SubmitAnswer would_answer(const engine::ExplainView& view);
/// What works on it: a handler, or the kind of a workflow that is written as code. Nothing works on a promise.
std::string_view shown_handler(std::string_view handler);
/// Both identifiers of one attempt.
domain::DispatchIds dispatch_ids_of(const domain::Execution& execution, int attempt);
/// What is known of an attempt that was pushed; null for others.
const StoredDispatch* pushed_in(const engine::TaskView& view, int attempt);

}  // namespace semel::codec
