#pragma once
#include <semel/v1/schedule.pb.h>

#include "engine/engine.hpp"

namespace semel::rpc {

/// What one schedule and a list of them share.
void write_schedule(v1::Schedule& to, const engine::ScheduleView& view);
/// The same, with what it makes and when it will.
void write_whole_schedule(v1::Schedule& to, const engine::ScheduleView& view);
void write_firing(v1::Firing& to, const domain::FiringRecord& firing);

}  // namespace semel::rpc
