#include "domain/identity.hpp"

#include <algorithm>
#include <array>

#include "base/ensure.hpp"
#include "base/json/diff.hpp"
#include "base/sha256.hpp"

namespace semel::domain {
namespace {

constexpr std::string_view format_tag("semel.identity.v1\0", 18);

/// A part with its length before it, so that no two lists of parts hash alike.
void add_part(Sha256& hasher, std::string_view part) {
  const auto size = static_cast<std::uint32_t>(part.size());
  const std::array<char, 4> length{static_cast<char>(size >> 24), static_cast<char>(size >> 16),
                                   static_cast<char>(size >> 8), static_cast<char>(size)};
  hasher.update({length.data(), length.size()}).update(part);
}

/// Rounds towards the past also before 1970.
std::int64_t bucket_start(Time time, Duration period) {
  const std::int64_t ms = to_ms(time);
  const std::int64_t length = period.count();
  const std::int64_t index = ms / length - (ms % length < 0 ? 1 : 0);
  return index * length / 1000;
}

Result<std::optional<std::int64_t>> choose_bucket(const IdentityRequest& request, const IdentitySettings& settings) {
  if (!settings.period) return std::nullopt;
  const Time at = request.requested_at.value_or(request.now);
  const Duration off = at > request.now ? at - request.now : request.now - at;
  if (off > requested_at_tolerance) {
    return bad_request("requested_at is {} away from the server's time; at most {} are allowed", to_text(off),
                       to_text(requested_at_tolerance));
  }
  return bucket_start(at, *settings.period);
}

Identified hashed(const IdentityRequest& request, Identity identity, std::string material) {
  ScopeSubject subject{std::nullopt, "", request.queue, request.schedule};
  if (request.template_ != nullptr) {
    subject.named_task = named_task_uuid(request.tenant, request.template_->namespace_, request.template_->name);
    subject.version = request.template_->version;
  }
  Identified identified{identity, std::move(material), scope_value(identity.scope, subject)};
  identified.identity.hash = identity_hash(
      {identity.mode, request.tenant, identity.scope, identified.scope_value, identified.material, identity.bucket});
  return identified;
}

Identified by_key(const IdentityRequest& request) {
  Identity identity{.mode = Mode::key, .strategy = Strategy::caller_provided, .scope = Scope::tenant};
  if (request.template_ != nullptr) {
    identity.strategy = request.template_->identity.strategy;
    identity.scope = request.template_->identity.scope;
  }
  if (request.schedule) identity.scope = Scope::schedule;
  return hashed(request, identity, std::string(*request.key));
}

Result<Identified> by_context(const IdentityRequest& request) {
  const IdentitySettings& settings = request.template_->identity;
  Result<std::string> material = reduce_context(request.canonical_context, settings);
  if (!material) return pass_on(material.error());
  Result<std::optional<std::int64_t>> bucket = choose_bucket(request, settings);
  if (!bucket) return pass_on(bucket.error());
  const Identity identity{
      .mode = Mode::context, .strategy = Strategy::strict, .scope = settings.scope, .bucket = *bucket};
  return hashed(request, identity, *std::move(material));
}

}  // namespace

std::string_view name_of(Mode mode) {
  switch (mode) {
    case Mode::none: return "none";
    case Mode::key: return "key";
    case Mode::context: return "context";
  }
  ensure(false);
  return "";
}

Hash32 identity_hash(const HashInput& input) {
  thread_local Sha256 hasher;
  hasher.update(format_tag);
  add_part(hasher, name_of(input.mode));
  add_part(hasher, input.tenant);
  add_part(hasher, name_of(input.scope));
  add_part(hasher, input.scope_value);
  add_part(hasher, input.material);
  add_part(hasher, input.bucket ? std::to_string(*input.bucket) : std::string());
  return hasher.finish();
}

std::string scope_value(Scope scope, const ScopeSubject& subject) {
  switch (scope) {
    case Scope::tenant: return {};
    case Scope::queue: return std::string(subject.queue);
    case Scope::schedule: ensure(subject.schedule.has_value()); return std::string(subject.schedule->uuid.view());
    case Scope::template_:
    case Scope::template_version: break;
  }
  ensure(subject.named_task.has_value());  // only templates have these scopes
  std::string value(subject.named_task->view());
  if (scope == Scope::template_version) value.append(subject.version);
  return value;
}

Result<std::string> reduce_context(std::string_view canonical_context, const IdentitySettings& settings) {
  if (!settings.fields.empty()) return json::select(canonical_context, settings.fields);
  if (!settings.ignore.empty()) return json::remove(canonical_context, settings.ignore);
  return std::string(canonical_context);
}

Result<Identified> identify(const IdentityRequest& request) {
  if (request.key) return by_key(request);
  const Strategy strategy =
      request.template_ != nullptr ? request.template_->identity.strategy : Strategy::always_unique;
  switch (strategy) {
    case Strategy::strict: return by_context(request);
    case Strategy::caller_provided:
      return bad_request("idempotency_key is required when named task uses CallerProvided identity strategy");
    case Strategy::always_unique: break;
  }
  Identified unique;
  if (request.template_ != nullptr) unique.identity.scope = request.template_->identity.scope;
  return unique;
}

std::vector<std::string> differing_pointers(std::string_view canonical_left, std::string_view canonical_right,
                                            const IdentitySettings* settings, std::size_t max) {
  if (settings == nullptr) return json::diff(canonical_left, canonical_right, max);
  if (settings->fields.empty()) {
    const Result<std::string> left = reduce_context(canonical_left, *settings);
    const Result<std::string> right = reduce_context(canonical_right, *settings);
    if (!left || !right) return json::diff(canonical_left, canonical_right, max);
    return json::diff(*left, *right, max);
  }
  std::vector<std::string> pointers;
  for (const json::Pointer& field : settings->fields) {
    const auto left = json::find(canonical_left, field);
    const auto right = json::find(canonical_right, field);
    if (pointers.size() >= max) break;
    if (left.has_value() != right.has_value()) pointers.push_back(field.text());
    if (!left || !right) continue;
    for (std::string& pointer : json::diff(*left, *right, max - pointers.size(), field.text())) {
      const bool known = std::find(pointers.begin(), pointers.end(), pointer) != pointers.end();  // fields may overlap
      if (!known) pointers.push_back(std::move(pointer));
    }
  }
  return pointers;
}

}  // namespace semel::domain
