#pragma once
#include <string_view>

#include "server/options.hpp"

namespace semel::server {

/// Runs the server until SIGTERM or SIGINT. Returns the exit code: 0 after a graceful stop, 1 when it could not start.
int run(const Options& options);

/// Says on standard error why not, a line each, and returns the exit code for it.
int refuse_to_start(std::string_view why);

}  // namespace semel::server
