#pragma once
#include "cli/client.hpp"

namespace semel::cli {

/// The timers of a pushed task, or of one dispatch of it, below what was printed before. Nothing where there are none.
void show_timers(const Client& client, const JsonView& shown);

}  // namespace semel::cli
