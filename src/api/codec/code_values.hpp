#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "domain/submission.hpp"
#include "domain/workflow/code/command.hpp"

/// What the code of a workflow says, checked value by value: every interface refuses the same, in the same words.
namespace semel::codec {

/// A JSON text, checked like a context, as written.
Result<std::string> read_payload(std::string_view field, std::string_view text);

/// A task as a step of a workflow, which is asked for like any other. Refused where it says what a step has not got.
Result<domain::code::ScheduleTask> step_of(domain::Submission submission);

/// A signal, by its name and its value: a JSON text.
Result<domain::code::Signal> read_signal(std::string_view name, std::string_view value);

}  // namespace semel::codec
