#pragma once
#include "cli/client/http_connection.hpp"
#include "cli/work/settings.hpp"

namespace semel::cli::work {

/// Works until there is nothing more to do or a signal comes. The exit code (client/exit_code.hpp).
int run_worker(Settings settings, Url url, HttpOptions http);

}  // namespace semel::cli::work
