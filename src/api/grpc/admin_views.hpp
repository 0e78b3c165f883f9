#pragma once
#include <semel/v1/admin.pb.h>

#include "engine/engine.hpp"

namespace semel::rpc {

/// Names, version and revision.
void write_template_name(v1::Template& to, const domain::Template& template_);
void write_template(v1::Template& to, const domain::Template& template_, const std::string& tenant);

Result<domain::QueueOptions> read_queue_options(const v1::QueueOptions& options);
/// How much is told of a queue: less of one that was just changed.
enum class QueueDetail : std::uint8_t { settings, counts, history };
void write_queue(v1::Queue& to, const engine::QueueView& view, QueueDetail detail);

void write_explanation(v1::ExplainIdentityResponse& to, const engine::ExplainView& view);

Result<engine::Engine::KeyRequest> read_key_request(const v1::CreateKeyRequest& request);
void write_api_key(v1::ApiKey& to, const domain::ApiKey& key);
void write_audit(v1::AuditEntry& to, const AuditEntry& entry);

}  // namespace semel::rpc
