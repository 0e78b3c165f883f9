#include "tests/support/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace semel::test {
namespace {

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, int output, int errors) {
  ::setpgid(0, 0);  // so that what it starts can be killed with it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Whoever runs the tests in the background may ignore them, and programs keep to that.
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) ::signal(number, SIG_DFL);
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

Process::Process(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  std::array<int, 2> pipe{};
  errors_ = ::memfd_create("errors", MFD_CLOEXEC);
  if (errors_ < 0 || ::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make pipes");
  ::fcntl(errors_, F_SETFL, O_APPEND);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot start a process");
  if (pid_ == 0) become(arguments.data(), pipe[1], errors_);
  ::setpgid(pid_, pid_);  // also here: the child may not have come so far when it is to be killed
  ::close(pipe[1]);
  output_ = pipe[0];
}

Process::~Process() {
  if (!ended_) {
    ::kill(-pid_, SIGKILL);
    wait();
  }
  ::close(output_);
  ::close(errors_);
}

std::optional<std::string> Process::read_line() {
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(output_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return buffer_.empty() ? std::nullopt : std::optional(std::exchange(buffer_, {}));
    buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

std::string Process::read_rest() {
  std::string all = std::exchange(buffer_, {});
  std::array<char, 4096> bytes{};
  while (true) {
    const ssize_t count = ::read(output_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    all.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

std::string Process::errors() const {
  struct stat about{};
  ::fstat(errors_, &about);
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  const ssize_t count = ::pread(errors_, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

void Process::signal(int number) const { ::kill(pid_, number); }

int Process::wait() {
  while (!ended_) {
    if (::waitpid(pid_, &status_, 0) == pid_) ended_ = true;
    else if (errno != EINTR) throw std::runtime_error("the process is gone");
  }
  return WIFSIGNALED(status_) ? -WTERMSIG(status_) : WEXITSTATUS(status_);
}

Finished run_to_end(std::vector<std::string> command) {
  Process process(std::move(command));
  std::string output = process.read_rest();
  const int code = process.wait();
  return {code, std::move(output), process.errors()};
}

}  // namespace semel::test
