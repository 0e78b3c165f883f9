#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>

#include "cli/client.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "cli/work/environment.hpp"
#include "cli/work/run.hpp"
#include "cli/work/spawn.hpp"
#include "domain/names.hpp"

namespace semel::cli {
namespace {

constexpr int concurrency_max = 256;  // with three open files each, it fits into the usual limit of 1,024
constexpr Duration lease_min = 1s;
constexpr Duration lease_max = 1h;
constexpr Duration grace_max = 1h;

struct WorkOptions {
  std::shared_ptr<ClientOptions> client;
  work::Settings settings;
  std::string lease = "30s";
  std::string grace = "10s";
  bool once = false;
  bool text = false;
  std::vector<std::string> misplaced;  // words that stand before the --
};

std::string default_worker_id() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"worker"};
  return fmt::format("{}-{}", host.data(), ::getpid());
}

Result<Duration> read_between(const char* option, const std::string& text, Duration min, Duration max) {
  const Result<Duration> length = read_duration(option, text);
  if (!length) return length;
  if (*length < min || *length > max)
    return bad_request("{}: {} is not from {} to {}", option, text, to_text(min), to_text(max));
  return length;
}

Result<void> check_names(const work::Settings& settings) {
  if (Result<void> fits = domain::check_key("--worker-id", settings.worker_id); !fits) return fits;
  for (const std::string& queue : settings.queues) {
    if (Result<void> fits = domain::check_name("--queue", queue); !fits) return fits;
  }
  for (const std::string& handler : settings.handlers) {
    if (Result<void> fits = domain::check_name("--handler", handler); !fits) return fits;
  }
  return {};
}

Result<void> check_command(const WorkOptions& options) {
  const std::vector<std::string>& command = options.settings.command;
  if (!options.misplaced.empty())
    return bad_request("write -- before the command: semel work --queue NAME -- {}", options.misplaced.front());
  if (command.empty()) return bad_request("give the command to run, after --: semel work --queue NAME -- ./handler.sh");
  return work::check_program(command.front());
}

Result<work::Settings> read_settings(const WorkOptions& options) {
  if (Result<void> fits = check_command(options); !fits) return pass_on(fits.error());
  work::Settings settings = options.settings;
  if (settings.worker_id.empty()) settings.worker_id = default_worker_id();
  if (Result<void> fits = check_names(settings); !fits) return pass_on(fits.error());
  const Result<Duration> lease = read_between("--lease", options.lease, lease_min, lease_max);
  if (!lease) return pass_on(lease.error());
  const Result<Duration> grace = read_between("--grace", options.grace, Duration{0}, grace_max);
  if (!grace) return pass_on(grace.error());
  settings.lease = *lease;
  settings.grace = *grace;
  if (options.once) settings.tasks_max = 1;
  if (options.text) settings.form = work::OutputForm::text;
  settings.environment = work::own_environment();
  // A handler that calls `semel` means the server that its task came from.
  work::set_variable(settings.environment, "SEMEL_URL", options.client->url);
  if (!options.client->ca_cert.empty())
    work::set_variable(settings.environment, "SEMEL_CA_CERT", options.client->ca_cert);
  return settings;
}

/// If one were closed, a file of ours would get its number, and with it what is meant for the stream.
void keep_standard_streams_open() {
  int number = 0;
  while (number >= 0 && number <= STDERR_FILENO) number = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (number > STDERR_FILENO) ::close(number);
}

int run_work(const WorkOptions& options) {
  Result<work::Settings> settings = read_settings(options);
  if (!settings) return refuse_usage(settings.error().message);
  Result<Reach> reach = read_reach(*options.client);
  if (!reach) return refuse_usage(reach.error().message);
  keep_standard_streams_open();
  return work::run_worker(*std::move(settings), std::move(reach->url), std::move(reach->http));
}

void add_work_options(CLI::App& command, WorkOptions& options) {
  work::Settings& settings = options.settings;
  command.add_option("--queue", settings.queues, "Where to take tasks from; may be repeated")
      ->required()
      ->allow_extra_args(false);
  command.add_option("--handler", settings.handlers, "Only tasks of this handler; may be repeated; any if absent")
      ->allow_extra_args(false);
  command.add_option("--concurrency", settings.concurrency, "How many tasks at once")
      ->check(CLI::Range(1, concurrency_max))
      ->capture_default_str();
  command.add_option("--lease", options.lease, "How long a task is ours without a sign of life; kept by heartbeats")
      ->capture_default_str();
  command.add_option("--worker-id", settings.worker_id, "Who this is, for the history; HOST-PID if absent");
  command.add_flag("--envelope", settings.sends_envelope,
                   "Give the handler an object with context, upstream, item and index instead of the context");
  command.add_flag("--text", options.text, "The output is text, and the result a JSON string");
  command.add_option("--grace", options.grace, "How long a handler has to end before it is killed")
      ->capture_default_str();
  CLI::Option* once = command.add_flag("--once", options.once, "End after one task");
  command.add_option("--max-tasks", settings.tasks_max, "End after so many tasks")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
      ->excludes(once);
  command.add_flag("--exit-when-empty", settings.exits_when_empty, "End when there is nothing to do");
  command.add_option("command", options.misplaced, "After --: the program that does a task, and its arguments");
}

}  // namespace

void add_work(CLI::App& app, int& exit_code, std::vector<std::string> handler) {
  CLI::App* command = app.add_subcommand("work", "Do tasks: run a command for each.");
  auto options = std::make_shared<WorkOptions>();
  options->settings.command = std::move(handler);
  add_work_options(*command, *options);
  options->client = add_connection_options(*command);
  command->footer(
      "The command gets the task's context on standard input, and what identifies the task in SEMEL_TASK_* variables.\n"
      "With --envelope it gets {\"context\", \"upstream\", \"item\", \"index\"}: for steps of runs, which need more.\n"
      "It prints the result as JSON, or nothing, and ends with 0. Any other exit code is a failure, and the last "
      "lines\n"
      "of standard error are its message; 65 is a failure that is not tried again.\n"
      "Examples:\n"
      "  semel work --queue paperwork -- ./handler.sh\n"
      "  semel work --queue mail --handler send_mail --concurrency 8 --lease 2m -- python3 send.py --verbose\n"
      "  semel work --queue nightly --exit-when-empty -- ./report.sh");
  command->callback([options, &exit_code] { exit_code = run_work(*options); });
}

}  // namespace semel::cli
