#pragma once
#include <memory>
#include <optional>
#include <string>

#include "cli/client.hpp"

namespace semel::cli {

/// Which page of a history.
struct PageOptions {
  std::optional<std::string> cursor;
  int limit = 100;
};
std::shared_ptr<PageOptions> add_page_options(CLI::App& command);

/// Shows the page of the history that is at this path. The exit code.
int show_history(Client& client, const std::string& path, const PageOptions& page);

}  // namespace semel::cli
