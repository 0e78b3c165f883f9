#pragma once
#include <memory>
#include <string>

#include "cli/client.hpp"

namespace semel::cli {

/// A subcommand about one schedule.
struct ScheduleCommand {
  CLI::App* app;
  std::shared_ptr<std::string> name = std::make_shared<std::string>();
  std::shared_ptr<ClientOptions> options;

  ScheduleCommand(CLI::App& group, const char* verb, const char* what);
};

std::string schedule_path(const std::string& name);
/// Calls, and shows the schedule that comes back.
int change_schedule(Client& client, const HttpCall& call);

// Of `semel schedule`.
void add_schedule_set(CLI::App& group, int& exit_code);
void add_schedule_next(CLI::App& group, int& exit_code);

}  // namespace semel::cli
