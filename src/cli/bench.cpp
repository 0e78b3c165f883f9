#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

namespace semel::cli {
void add_bench(CLI::App&, int&) {}
}  // namespace semel::cli
