#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/work/lease.hpp"

namespace semel::cli::work {

/// The variables of a handler, as NAME=value: those of the worker, and what it should know of its task
/// (docs/reference/cli.md). What the worker itself was told of a task is not handed on.
std::vector<std::string> handler_environment(std::span<const std::string> own, const Lease& lease);

/// Sets a variable among others.
void set_variable(std::vector<std::string>& variables, std::string_view name, std::string_view value);

/// All variables of this process.
std::vector<std::string> own_environment();

}  // namespace semel::cli::work
