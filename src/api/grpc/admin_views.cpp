#include "api/grpc/admin_views.hpp"

#include "api/codec/error.hpp"
#include "api/codec/key_request.hpp"
#include "api/codec/refusal.hpp"
#include "api/codec/view_texts.hpp"
#include "api/grpc/values.hpp"
#include "api/grpc/views.hpp"
#include "domain/queue_option.hpp"

namespace semel::rpc {
namespace {

/// What only stands there when it is so: of the settings and of what was said alike.
template <typename To, typename Queue>
void write_limits(To& to, const Queue& queue) {
  if (queue.rate_limit) to.set_rate_limit(to_text(*queue.rate_limit));
  if (queue.rate_limit && queue.rate_limit->burst) to.set_rate_burst(*queue.rate_limit->burst);
  if (queue.max_running) to.set_max_running(*queue.max_running);
  if (queue.reuse) to.set_reuse(std::string(name_of(*queue.reuse)));
  if (queue.dedup_window) to.set_dedup_window(domain::to_text(*queue.dedup_window));
}

void write_said(v1::QueueOptions& to, const domain::QueueOptions& said) {
  if (said.retention) to.set_retention(to_text(*said.retention));
  if (said.max_running_per_key) to.set_max_running_per_key(*said.max_running_per_key);
  if (said.paused) to.set_paused(*said.paused);
  write_limits(to, said);
  if (said.target) to.set_target(said.target->empty() ? "none" : *said.target);
  if (said.target_timeout) to.set_target_timeout(to_text(*said.target_timeout));
  if (said.target_dedup_window) to.set_target_dedup_window(to_text(*said.target_dedup_window));
  if (said.heartbeat_timeout) to.set_heartbeat_timeout(to_text(*said.heartbeat_timeout));
  if (said.max_in_flight) to.set_max_in_flight(*said.max_in_flight);
}

void write_target(v1::Queue& to, const domain::QueueSettings& settings) {
  if (!settings.target) return;
  to.set_target(*settings.target);
  to.set_target_timeout(to_text(settings.target_timeout));
  to.set_target_dedup_window(to_text(settings.target_dedup_window));
  to.set_heartbeat_timeout(to_text(settings.heartbeat_timeout));
  to.set_max_in_flight(settings.max_in_flight);
}

void write_counts(v1::QueueRates::Counts& to, const engine::QueueCounts& counts) {
  to.set_created(counts.created);
  to.set_started(counts.started);
  to.set_completed(counts.completed);
  to.set_failed(counts.failed);
  to.set_retried(counts.retried);
}

void write_rates(v1::QueueRates& to, const engine::QueueRates::Rates& rates, bool with_history) {
  if (rates.since) set_time(to.mutable_since(), *rates.since);
  write_counts(*to.mutable_minute(), rates.minute);
  write_counts(*to.mutable_hour(), rates.hour);
  if (!with_history) return;
  v1::QueueRates::History& history = *to.mutable_history();
  history.set_interval(to_text(Duration(1min)));
  for (const engine::QueueCounts& point : rates.history) {
    history.add_created(point.created);
    history.add_started(point.started);
    history.add_completed(point.completed);
    history.add_failed(point.failed);
    history.add_retried(point.retried);
  }
}

void write_depth(v1::Queue::Depth& to, const QueueDepth& depth) {
  to.set_ready(depth.ready);
  to.set_waiting(depth.waiting);
  to.set_blocked(depth.blocked);
  to.set_running(depth.running);
}

void write_identity(v1::ExplainIdentityResponse::Identity& to, const domain::Plan& plan) {
  const domain::ExecutionSpec& spec = plan.spec;
  to.set_mode(std::string(name_of(spec.identity.mode)));
  to.set_strategy(std::string(name_of(spec.identity.strategy)));
  if (spec.named_task) to.set_named_task_uuid(spec.named_task->uuid.text());
  if (spec.fingerprint) to.set_fingerprint(to_hex(*spec.fingerprint));
  if (spec.identity.mode == domain::Mode::none) return;
  to.set_scope(std::string(name_of(spec.identity.scope)));
  to.set_hash(to_hex(spec.identity.hash));
  if (spec.identity.bucket) to.set_bucket(*spec.identity.bucket);
  to.set_window(codec::window_text(spec.window));
  to.set_material(plan.material);
  to.set_scope_value(codec::scope_text(plan));
}

}  // namespace

void write_template_name(v1::Template& to, const domain::Template& template_) {
  to.set_namespace_(template_.namespace_);
  to.set_name(template_.name);
  to.set_version(template_.version);
  to.set_revision(template_.revision);
}

void write_template(v1::Template& to, const domain::Template& template_, const std::string& tenant) {
  write_template_name(to, template_);
  to.set_named_task_uuid(domain::named_task_uuid(tenant, template_.namespace_, template_.name).text());
  to.set_handler(template_.handler);
  to.set_queue(template_.queue);
  to.set_identity_strategy(std::string(name_of(template_.identity.strategy)));
  to.set_scope(std::string(name_of(template_.identity.scope)));
  to.set_document(template_.document);
}

Result<domain::QueueOptions> read_queue_options(const v1::QueueOptions& options) {
  if (Result<void> known = check_known(options); !known) return pass_on(known.error());
  std::vector<std::pair<std::string_view, std::string>> said;
  if (options.has_retention()) said.emplace_back("retention", options.retention());
  if (options.has_rate_limit()) said.emplace_back("rate_limit", options.rate_limit());
  if (options.has_rate_burst()) said.emplace_back("rate_burst", std::to_string(options.rate_burst()));
  if (options.has_max_running()) said.emplace_back("max_running", std::to_string(options.max_running()));
  if (options.has_max_running_per_key())
    said.emplace_back("max_running_per_key", std::to_string(options.max_running_per_key()));
  if (options.has_paused()) said.emplace_back("paused", options.paused() ? "true" : "false");
  if (options.has_reuse()) said.emplace_back("reuse", options.reuse());
  if (options.has_dedup_window()) said.emplace_back("dedup_window", options.dedup_window());
  if (options.has_target()) said.emplace_back("target", options.target());
  if (options.has_target_timeout()) said.emplace_back("target_timeout", options.target_timeout());
  if (options.has_target_dedup_window()) said.emplace_back("target_dedup_window", options.target_dedup_window());
  if (options.has_heartbeat_timeout()) said.emplace_back("heartbeat_timeout", options.heartbeat_timeout());
  if (options.has_max_in_flight()) said.emplace_back("max_in_flight", std::to_string(options.max_in_flight()));
  domain::QueueOptions read;
  for (const auto& [name, text] : said) {
    if (Result<void> set = domain::set_queue_option(read, name, text); !set) return pass_on(set.error());
  }
  if (Result<void> fits = domain::check(read); !fits) return pass_on(fits.error());
  return read;
}

void write_queue(v1::Queue& to, const engine::QueueView& view, QueueDetail detail) {
  to.set_name(view.name);
  to.set_paused(view.settings.paused);
  to.set_retention(to_text(view.settings.retention));
  to.set_max_running_per_key(view.settings.max_running_per_key);
  write_limits(to, view.settings);
  write_target(to, view.settings);
  write_said(*to.mutable_set(), view.said);
  if (detail == QueueDetail::settings) return;
  write_depth(*to.mutable_depth(), view.depth);
  if (view.depth.waits_since) set_time(to.mutable_waits_since(), *view.depth.waits_since);
  if (view.rates) write_rates(*to.mutable_rates(), *view.rates, detail == QueueDetail::history);
}

void write_explanation(v1::ExplainIdentityResponse& to, const engine::ExplainView& view) {
  to.set_would(std::string(codec::action_name(view.explanation.action)));
  to.set_why(view.explanation.why);
  to.set_kind(std::string(name_of(view.plan.spec.kind)));
  to.set_step_count(static_cast<std::uint32_t>(view.plan.step_count));
  const tl::expected<codec::Submitted, codec::Refusal> settled = codec::settle(codec::would_answer(view));
  if (!settled) {
    to.set_grpc_status(static_cast<int>(codec::grpc_status(settled.error().code)));
    to.set_code(std::string(codec::wire_name(settled.error().code)));
  }
  write_identity(*to.mutable_identity(), view.plan);
  to.set_reuse(to_wire<v1::Reuse>(view.plan.reuse));
  to.set_on_duplicate(to_wire<v1::OnDuplicate>(view.plan.on_duplicate));
  to.set_on_payload_mismatch(to_wire<v1::OnPayloadMismatch>(view.plan.on_payload_mismatch));
  if (view.held) write_holder(*to.mutable_holder(), *view.held, view.explanation.window_end);
  for (const std::string& pointer : view.pointers) to.add_pointers(pointer);
}

Result<engine::Engine::KeyRequest> read_key_request(const v1::CreateKeyRequest& from) {
  engine::Engine::KeyRequest request;
  if (from.has_tenant()) {
    if (Result<void> set = codec::set_key_tenant(request, from.tenant()); !set) return pass_on(set.error());
  }
  if (!from.name().empty()) {
    if (Result<void> set = codec::set_key_name(request, from.name()); !set) return pass_on(set.error());
  }
  for (const std::string& name : from.permissions()) {
    if (Result<void> added = codec::add_key_permission(request, name); !added) return pass_on(added.error());
  }
  if (from.has_expires_in()) {
    const Result<Duration> expiry = read_duration("expires_in", from.expires_in());
    if (!expiry) return pass_on(expiry.error());
    if (Result<void> set = codec::set_key_expiry(request, *expiry); !set) return pass_on(set.error());
  }
  if (Result<void> fits = codec::check_key_request(request); !fits) return pass_on(fits.error());
  return request;
}

void write_api_key(v1::ApiKey& to, const domain::ApiKey& key) {
  to.set_id(key.id);
  to.set_tenant(key.tenant);
  to.set_name(key.name);
  for (const std::string_view name : domain::permission_names(key.permissions)) to.add_permissions(std::string(name));
  set_time(to.mutable_created_at(), key.created_at);
  to.set_created_by(key.created_by);
  if (key.expires_at) set_time(to.mutable_expires_at(), *key.expires_at);
  if (key.revoked_at) set_time(to.mutable_revoked_at(), *key.revoked_at);
}

void write_audit(v1::AuditEntry& to, const AuditEntry& entry) {
  to.set_seq(entry.seq);
  set_time(to.mutable_at(), entry.at);
  to.set_actor(entry.actor);
  to.set_action(entry.action);
  to.set_subject(entry.subject);
}

}  // namespace semel::rpc
