#pragma once
#include "server/options.hpp"

namespace semel::server {

/// Runs the server until SIGTERM or SIGINT. Returns the exit code: 0 after a graceful stop, 1 when it could not start.
int run(const Options& options);

}  // namespace semel::server
