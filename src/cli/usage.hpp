#pragma once
#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace semel::cli {

/// What is wrong with a command line, and where the help for it is. Without any command, the help itself.
std::string explain_usage(const CLI::App* app, const CLI::Error& error);

}  // namespace semel::cli
