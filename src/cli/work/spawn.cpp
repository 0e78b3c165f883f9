#include "cli/work/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace semel::cli::work {
namespace {

tl::unexpected<Error> failed(std::string_view what, int error) {
  return bad_request("{}: {}", what, std::strerror(error));
}

/// A file in memory, to be read from its beginning.
Result<Descriptor> file_with(std::string_view bytes) {
  Descriptor file(::memfd_create("context", MFD_CLOEXEC));
  if (!file.is_open()) return failed("cannot make a file for the context", errno);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot write the context to memory", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

struct Pipe {
  Descriptor reading;  // does not block
  Descriptor writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("cannot make a pipe", errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// What posix_spawn() should do in the child before the program begins.
class Preparation {
 public:
  Preparation(int input, int output, int errors) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    // A connection that a handler held open would look alive to the server after the worker has gone.
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// A file that becomes readable when the process ends. The header of glibc 2.36 that has it forgets C++.
Descriptor open_process(pid_t pid) { return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

/// As the system wants lists of strings; it does not change them.
std::vector<char*> pointers_to(std::span<const std::string> texts) {
  std::vector<char*> pointers;
  for (const std::string& each : texts) pointers.push_back(const_cast<char*>(each.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view advice_for(int error) {
  switch (error) {
    case ENOENT: return "; is it there, and the program that its first line names?";
    case EACCES: return "; may it be run? (chmod +x)";
    case ENOEXEC: return "; does it begin with a line such as #!/bin/sh?";
    default: return "";
  }
}

tl::unexpected<Error> cannot_run(const std::string& program, int error) {
  return bad_request("cannot run {}: {}{}", program, std::strerror(error), advice_for(error));
}

/// 0, or why the file cannot be run.
int why_not_runnable(const std::string& file) {
  struct stat about{};
  if (::stat(file.c_str(), &about) != 0) return errno;
  if (S_ISDIR(about.st_mode)) return EISDIR;
  return ::access(file.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

Result<Spawned> spawn(std::span<const std::string> command, std::span<const std::string> environment,
                      std::string_view input) {
  const Result<Descriptor> file = file_with(input);
  if (!file) return pass_on(file.error());
  Result<Pipe> output = make_pipe();
  if (!output) return pass_on(output.error());
  Result<Pipe> errors = make_pipe();
  if (!errors) return pass_on(errors.error());
  const Preparation preparation(file->number(), output->writing.number(), errors->writing.number());
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  Spawned spawned;
  const int error = ::posix_spawnp(&spawned.pid, arguments.front(), preparation.files(), preparation.attributes(),
                                   arguments.data(), variables.data());
  if (error != 0) return cannot_run(command.front(), error);
  spawned.ended = open_process(spawned.pid);
  if (!spawned.ended.is_open()) {
    const int unwatched = errno;
    ::kill(-spawned.pid, SIGKILL);
    ::waitpid(spawned.pid, nullptr, 0);
    return failed("cannot watch a process", unwatched);
  }
  spawned.output = std::move(output->reading);
  spawned.errors = std::move(errors->reading);
  return spawned;
}

Result<void> check_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    const int error = why_not_runnable(name);
    return error == 0 ? Result<void>{} : cannot_run(name, error);
  }
  const char* const path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/bin:/usr/bin";  // as execvp() has it
  while (true) {
    const std::size_t colon = folders.find(':');
    const std::string folder(folders.substr(0, colon));
    if (!name.empty() && why_not_runnable(folder.empty() ? name : folder + "/" + name) == 0) return {};
    if (colon == std::string_view::npos) break;
    folders.remove_prefix(colon + 1);
  }
  return bad_request("cannot run '{}': there is no such program in PATH; a file in this folder is written ./{}", name,
                     name);
}

}  // namespace semel::cli::work
