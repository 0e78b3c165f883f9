#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "dispatch/targets.hpp"
#include "server/options.hpp"

namespace semel::server {

/// A variable of the environment, if it is set.
using Variable = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

/// What a file of signing secrets says: a line for each, "NAME whsec_…", where the name is TENANT/QUEUE, TENANT or
/// "default"; empty lines and lines that begin with # mean nothing. Refusals never show a secret.
Result<dispatch::SigningSecrets> parse_signing_secrets(std::string_view text);

/// The settings with the secrets from their files, or from SEMEL_DISPATCH_SIGNING_SECRET (one or more of "default",
/// separated by spaces) and SEMEL_CLOUD_TASKS_CREDENTIALS (the JSON itself), which win.
Result<dispatch::Options> read_dispatch_options(const DispatchOptions& options, const Variable& variable);

struct OpenTargets {
  std::unique_ptr<DispatchTargets> targets{};
  bool signs = false;  // there is a secret to sign with, for some of them at least
};

/// Starts the threads that push tasks.
Result<OpenTargets> open_targets(const DispatchOptions& options, std::function<Time()> now);

}  // namespace semel::server
