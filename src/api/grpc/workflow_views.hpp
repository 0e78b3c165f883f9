#pragma once
#include <semel/v1/promise.pb.h>
#include <semel/v1/workflow.pb.h>

#include "api/codec/refusal.hpp"
#include "engine/answers.hpp"

/// Workflows that are written as code, and promises, as they are told.
namespace semel::rpc {

void write_history_event(v1::HistoryEvent& to, const HistoryEntry& entry);
void write_started(v1::StartWorkflowResponse& to, const codec::Submitted& submitted);
void write_workflow(v1::WorkflowExecution& to, const engine::WorkflowView& view);
void write_promised(v1::CreatePromiseResponse& to, const codec::Submitted& submitted);
void write_promise(v1::Promise& to, const domain::Execution& promise);

}  // namespace semel::rpc
