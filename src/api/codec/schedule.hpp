#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/json/writer.hpp"
#include "base/result.hpp"
#include "domain/schedule/definition.hpp"

namespace semel::codec {

/// The body of PUT /v1/schedules/{name}, and the document that is kept of it.
Result<domain::ScheduleDefinition> decode_schedule(std::string_view name, std::string_view body);

/// The body of POST /v1/schedules/{name}/run: the nominal time, when one is given.
Result<std::optional<Time>> decode_run(std::string_view body);

/// The members that say when it fires.
void write_schedule(json::Writer& writer, const domain::Schedule& schedule);

}  // namespace semel::codec
