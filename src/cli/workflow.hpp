#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/client.hpp"

namespace semel::cli {

/// A subcommand about one workflow: by its uuid, or by the workflow_id that it was started with.
struct WorkflowCommand {
  CLI::App* app;
  std::shared_ptr<std::string> id = std::make_shared<std::string>();
  std::shared_ptr<std::optional<std::string>> workflow_id = std::make_shared<std::optional<std::string>>();
  std::shared_ptr<ClientOptions> options;

  WorkflowCommand(CLI::App& group, const char* verb, const char* what);

  /// Lets `act` use a client and the uuid, which is asked for where only the workflow_id is said. The exit code.
  int run(const std::function<int(Client&, const std::string& id)>& act) const;
};

std::string workflow_path(const std::string& id);

/// JSON that can be sent, as given; "-" is standard input. Refusals name the option.
Result<std::string> read_json_option(std::string_view option, const std::string& text);

/// All of a workflow's history, as replays read it. Where it cannot be had, that was told, and `exit_code` says how.
Result<std::string> whole_history(Client& client, const std::string& id, int& exit_code);

// Of `semel workflow`.
void add_workflow_start(CLI::App& group, int& exit_code);
void add_workflow_signal(CLI::App& group, int& exit_code);
void add_workflow_list(CLI::App& group, int& exit_code);
void add_workflow_history(CLI::App& group, int& exit_code);
void add_workflow_replay(CLI::App& group, int& exit_code);

}  // namespace semel::cli
