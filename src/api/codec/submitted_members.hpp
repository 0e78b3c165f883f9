#pragma once
#include "api/codec/refusal.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {

/// What a submission came to, as far as it is known: the execution that was taken over, and the end of the one that is
/// told of. `result_name` is what its result is called.
void write_outcome(json::Writer& writer, const Submitted& submitted, std::string_view result_name);

}  // namespace semel::codec
