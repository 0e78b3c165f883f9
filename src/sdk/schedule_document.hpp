#pragma once
#include <string>
#include <string_view>

#include "semel/schedule.hpp"

namespace semel::sdk {

/// A schedule as every server reads it: the body of PUT /v1/schedules/{name}. `context` is JSON text.
std::string schedule_document(const Schedule& schedule, std::string_view handler, std::string_view context);

}  // namespace semel::sdk
