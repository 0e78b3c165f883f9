#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/workflow.hpp"

/// A workflow's code is in a program of the user, so that program replays (semel::testkit::Replayer): here the history
/// is fetched, and the program run with it.
namespace semel::cli {
namespace {

/// A file for the program to read, which goes with this object.
class HistoryFile {
 public:
  explicit HistoryFile(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "semel-history-XXXXXX").string();
    const int file = ::mkstemp(path_.data());
    if (file < 0) throw std::runtime_error("cannot make a temporary file");
    ::close(file);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~HistoryFile() { ::unlink(path_.c_str()); }
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs the program with the file as its last argument. Its exit code is ours.
int replay_with(std::vector<std::string> program, const std::string& file) {
  program.push_back(file);
  std::vector<char*> arguments;
  for (std::string& each : program) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ); error != 0)
    return refuse_usage(fmt::format("{} cannot be run: {}", program.front(), std::strerror(error)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return refuse_failed(fmt::format("{} was ended by signal {}", program.front(), WTERMSIG(status)));
}

}  // namespace

void add_workflow_replay(CLI::App& group, int& exit_code) {
  const WorkflowCommand command(group, "replay", "Run new code of a workflow against what it did with the old.");
  auto file = std::make_shared<std::string>();
  auto program = std::make_shared<std::vector<std::string>>();
  CLI::Option* from_file = command.app->add_option("--history", *file, "A file of semel workflow history --json");
  from_file->excludes("id")->excludes("--workflow-id");
  command.app->add_option("--with", *program, "The program that has the code, and its arguments; the file comes after")
      ->required();
  command.app->footer(
      "The program is one made with semel::testkit::Replayer. It does nothing but compute.\n"
      "Exit code: 0 the code fits, 1 it does not (or the server refused), 2 it was not replayed.\n"
      "Example:\n  semel workflow replay --workflow-id order-7 --with ./replay_orders");
  command.app->callback([command, file, program, &exit_code] {
    if (!file->empty()) {
      exit_code = replay_with(*program, *file);
      return;
    }
    exit_code = command.run([&](Client& client, const std::string& id) {
      int code = exit_code::ok;
      const Result<std::string> history = whole_history(client, id, code);
      return history ? replay_with(*program, HistoryFile(*history).path()) : code;
    });
  });
}

}  // namespace semel::cli
