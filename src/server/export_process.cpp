#include "server/export_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <vector>

namespace semel::server {
namespace {

constexpr const char* own_program = "/proc/self/exe";
constexpr std::string_view store_variable = "SEMEL_STORE=";
constexpr std::size_t errors_kept_max = 4'096;

std::vector<std::string> command_of(const ExportJob& job, const std::string& duckdb) {
  std::vector<std::string> command{"semel", "export", "--json", "--out", job.folder.string()};
  if (job.since) command.insert(command.end(), {"--since", to_rfc3339(*job.since)});
  if (!duckdb.empty()) command.insert(command.end(), {"--duckdb", duckdb});
  return command;
}

std::vector<std::string> environment_with(const std::string& store) {
  std::vector<std::string> variables{std::string(store_variable) + store};
  for (char** each = environ; *each != nullptr; ++each) {
    if (!std::string_view(*each).starts_with(store_variable)) variables.emplace_back(*each);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (std::string& each : texts) made.push_back(each.data());
  made.push_back(nullptr);
  return made;
}

/// What the child has before it begins: no input, its errors for us, and none of the server's blocked signals or open
/// connections.
class Beginning {
 public:
  explicit Beginning(int errors) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~Beginning() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// To its end, which is the end of the process; the first part is kept.
std::string read_errors(int descriptor) {
  std::string text;
  std::array<char, 1'024> buffer{};
  for (;;) {
    const ssize_t size = ::read(descriptor, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    if (text.size() < errors_kept_max) text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<void> ExportProcess::run(const ExportJob& job) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return refuse(ErrorCode::unavailable, "cannot make a pipe: {}", std::strerror(errno));
  const Result<pid_t> pid = start(job, pipe[1]);
  ::close(pipe[1]);
  const Result<void> done = pid ? wait(*pid, pipe[0]) : pass_on(pid.error());
  ::close(pipe[0]);
  return done;
}

Result<pid_t> ExportProcess::start(const ExportJob& job, int errors) {
  const std::lock_guard lock(mutex_);
  if (is_cancelled_) return refuse(ErrorCode::unavailable, "the server stops");
  const Beginning beginning(errors);
  std::vector<std::string> command = command_of(job, duckdb_);
  std::vector<std::string> environment = environment_with(store_);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, own_program, beginning.files(), beginning.attributes(),
                                  pointers(command).data(), pointers(environment).data());
  if (error != 0) return refuse(ErrorCode::unavailable, "cannot start semel export: {}", std::strerror(error));
  running_ = pid;
  return pid;
}

/// The process is waited for under the lock, and is over by then or nearly: so cancel() never meets a pid that has been
/// given to another.
Result<void> ExportProcess::wait(pid_t pid, int errors) {
  const std::string said = read_errors(errors);
  int status = 0;
  {
    const std::lock_guard lock(mutex_);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    running_ = -1;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFSIGNALED(status))
    return refuse(ErrorCode::unavailable, "semel export was ended by signal {}", WTERMSIG(status));
  return refuse(ErrorCode::unavailable, "{}", said.empty() ? "semel export failed" : said);
}

void ExportProcess::cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  if (running_ > 0) ::kill(running_, SIGTERM);
}

}  // namespace semel::server
