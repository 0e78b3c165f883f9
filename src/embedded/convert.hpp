#pragma once
#include <string>
#include <vector>

#include "api/codec/refusal.hpp"
#include "domain/submission.hpp"
#include "domain/workflow/code/command.hpp"
#include "ports/outcome.hpp"
#include "ports/run.hpp"
#include "sdk/backend.hpp"

/// What the SDK says ↔ what the engine understands. What requests are checked for is what REST checks.
namespace semel::embedded {

Result<domain::Submission> read_task(const sdk::Submission& submission);
Result<domain::Submission> read_workflow(const sdk::WorkflowStart& start);
Result<domain::Submission> read_promise(const sdk::PromiseRequest& request);

sdk::Refusal refusal_of(const Error& error);
sdk::Reply<sdk::Submitted> submitted_of(const engine::SubmitAnswer& answer);
inline Status status_of(domain::State state) { return static_cast<Status>(state); }

domain::Progress progress_of(const std::string& json);

sdk::Event event_of(const HistoryEntry& entry);
sdk::Lease lease_of(const Lease& lease);

Result<domain::code::Answer> read_answer(const sdk::ActivationEnd& end);

}  // namespace semel::embedded
