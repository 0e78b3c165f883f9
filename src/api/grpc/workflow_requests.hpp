#pragma once
#include <semel/v1/promise.pb.h>
#include <semel/v1/workflow.pb.h>

#include "base/result.hpp"
#include "engine/engine.hpp"

/// What is asked of workflows that are written as code, and of promises.
namespace semel::rpc {

Result<domain::Submission> read_start(const v1::StartWorkflowRequest& request);
Result<engine::Engine::SignalRequest> read_signal(const v1::SignalWorkflowRequest& request);
Result<domain::Submission> read_promise(const v1::CreatePromiseRequest& request);
Result<engine::Engine::SettleRequest> read_resolve(const v1::ResolvePromiseRequest& request);
Result<engine::Engine::SettleRequest> read_reject(const v1::RejectPromiseRequest& request);

/// An execution that a message names by its id or by its key; exactly one of them must be there.
struct Named {
  domain::Kind kind{};
  std::string_view id_field{};
  const std::string& id;
  std::string_view key_field{};
  const std::string& key;
};
Result<std::variant<domain::ExecutionId, std::string>> read_named(const Named& named);
/// Looks the key up, where there is one; refused where nothing of this kind has it.
Result<domain::ExecutionId> find_named(engine::Engine& engine, const domain::Principal& principal, const Named& named);

}  // namespace semel::rpc
