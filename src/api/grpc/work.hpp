#pragma once
#include <semel/v1/worker.pb.h>

#include <optional>
#include <string>

#include "base/result.hpp"
#include "engine/engine.hpp"

/// What workers say and are told: messages ↔ the engine's values.
namespace semel::rpc {

Result<engine::Engine::PollRequest> read_hello(const v1::Hello& hello);
Result<engine::Engine::Ending> read_outcome(const v1::Outcome& outcome);

struct HeartbeatValues {
  domain::AttemptId attempt_id;
  Duration lease = domain::default_lease;
  std::optional<domain::Progress> progress{};
};
Result<HeartbeatValues> read_heartbeat(const v1::Heartbeat& heartbeat);

void write_lease(v1::Lease& to, const Lease& lease);
void write_outcome(v1::OutcomeAnswer& to, const Result<AttemptAnswer>& answer);
void write_heartbeat(v1::HeartbeatAnswer& to, const Result<AttemptAnswer>& answer);

}  // namespace semel::rpc
