#pragma once
#include <semel/v1/command.pb.h>

#include "base/result.hpp"
#include "engine/engine.hpp"

namespace semel::rpc {

/// What the code of a workflow said in one activation.
Result<engine::Engine::CodeAnswer> read_activation_answer(const v1::ActivationAnswer& answer);

}  // namespace semel::rpc
