#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/pointer.hpp"
#include "base/json/schema/schema.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "domain/policy.hpp"
#include "domain/retry.hpp"
#include "domain/window.hpp"
#include "domain/workflow/step.hpp"

namespace semel::domain {

/// What a template says about the identity of its submissions.
struct IdentitySettings {
  Strategy strategy = Strategy::strict;
  Scope scope = Scope::template_;
  std::vector<json::Pointer> fields;  // at most one of fields and ignore is given
  std::vector<json::Pointer> ignore;
  std::optional<Duration> period;
  bool locked = false;
  std::optional<Reuse> reuse;
  std::optional<OnDuplicate> on_duplicate;
  std::optional<OnMismatch> on_payload_mismatch;
  std::optional<DedupWindow> dedup_window;
};

/// A named task. Versions live side by side; a PUT with other content under a version is a new revision of it.
struct Template {
  std::string namespace_;
  std::string name;
  std::string version;
  int revision = 1;
  IdentitySettings identity;
  std::string handler;  // of the only step, or its own; by default its name
  std::string queue;    // of the only step, or its own; by default "default"
  RetrySettings retry;  // of the only step, or its own
  std::optional<Duration> timeout;
  std::vector<Step> steps{};                   // without a fault
  std::optional<json::Schema> input_schema{};  // what a context must fit
  std::string document;                        // the canonical JSON it was made from

  /// Whether its submissions are runs of steps. One step alone that always runs, once, is a plain task.
  bool is_workflow() const;
};

/// A semantic version (semver 2.0.0), for "newest" only; the text is what is stored and compared for equality.
Result<void> check_version(std::string_view version);
/// Negative, zero or positive, by semver precedence; build metadata breaks ties bytewise so that the order is total.
int compare_versions(std::string_view left, std::string_view right);

/// UUIDv5 of tenant/namespace/name: the same on every server, and not changed by a new version.
Uuid named_task_uuid(std::string_view tenant, std::string_view namespace_, std::string_view name);

}  // namespace semel::domain
