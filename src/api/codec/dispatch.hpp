#pragma once
#include <vector>

#include "api/codec/answers.hpp"
#include "base/json/writer.hpp"

/// Dispatches as JSON.
namespace semel::codec {

/// The member "push": what is known of an attempt on its way to a target.
void write_push(json::Writer& writer, const StoredDispatch& stored);
/// The member "timers".
void write_timers(json::Writer& writer, const std::vector<domain::DispatchTimer>& timers);

Encoded encode_dispatch(const engine::DispatchView& view);
/// That one, or how far the look for it has come (202).
Encoded encode_dispatch_found(const engine::DispatchFound& found);
/// One page; `limit` is how many it could have.
Encoded encode_dispatches(const std::vector<StoredDispatch>& dispatches, std::size_t limit);
Encoded encode_repaired(const domain::Dispatch& dispatch);

}  // namespace semel::codec
