#pragma once

namespace CLI {
class App;
}

namespace semel::cli {

/// One function a command: adds it to the program, and sets the exit code when it runs. 0 done, 1 failed, 2 wrong
/// usage.
void add_server(CLI::App& app, int& exit_code);
void add_config(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);

}  // namespace semel::cli
