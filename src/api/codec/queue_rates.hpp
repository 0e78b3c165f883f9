#pragma once
#include "base/json/writer.hpp"
#include "engine/queue_rates.hpp"

namespace semel::codec {

/// How much goes through a queue, as the member `rates` of an object; with the history, minute by minute.
void write_rates(json::Writer& writer, const engine::QueueRates::Rates& rates, bool with_history);

}  // namespace semel::codec
