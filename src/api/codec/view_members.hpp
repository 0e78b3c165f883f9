#pragma once
#include <optional>
#include <string_view>

#include "base/json/writer.hpp"
#include "engine/answers.hpp"

/// Members that several views have, for an object that is being written.
namespace semel::codec {

/// Left out when there is none.
void time_member(json::Writer& writer, std::string_view name, const std::optional<Time>& time);
void write_window(json::Writer& writer, const domain::Window& window);
/// Left out when there are none.
void write_labels(json::Writer& writer, const domain::Labels& labels);
/// Of a workflow that is written as code, its kind. Nobody handles a promise: it has none.
void write_handler(json::Writer& writer, const domain::ExecutionSpec& spec);
/// The whole object.
void write_holder(json::Writer& writer, const Held& held, std::optional<Time> window_end);

}  // namespace semel::codec
