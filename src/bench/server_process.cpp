#include "bench/server_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace semel::bench {
namespace {

/// Reads one line; empty when the process ended without one.
std::string read_line(int descriptor) {
  std::string line;
  char c = 0;
  while (::read(descriptor, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

/// Of an address after that name: "http=", "grpc=".
std::uint16_t port_in(const std::string& ready_line, const char* name) {
  const std::size_t address = ready_line.find(name);
  const std::size_t colon = address == std::string::npos ? address : ready_line.find(':', address);
  if (colon == std::string::npos) throw std::runtime_error("the server did not start: " + ready_line);
  return static_cast<std::uint16_t>(std::strtoul(ready_line.c_str() + colon + 1, nullptr, 10));
}

}  // namespace

ServerProcess::ServerProcess(const std::string& binary, const std::string& store, const std::string& dedup_cache) {
  std::array<int, 2> output{};
  if (::pipe(output.data()) != 0) throw std::runtime_error("cannot make a pipe");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot start a process");
  if (pid_ == 0) {
    ::dup2(output[1], STDOUT_FILENO);
    ::close(output[0]);
    ::execl(binary.c_str(), binary.c_str(), "server", "--config", "/dev/null", "--listen", "127.0.0.1:0",
            "--grpc-listen", "127.0.0.1:0", "--store", store.c_str(), "--dedup-cache", dedup_cache.c_str(),
            "--log-level", "warn", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(output[1]);
  const std::string ready = read_line(output[0]);
  ::close(output[0]);
  port_ = port_in(ready, "http=");
  grpc_port_ = port_in(ready, "grpc=");
}

ServerProcess::~ServerProcess() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

std::uint64_t ServerProcess::resident_kib() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  std::string name;
  while (status >> name) {
    std::uint64_t kib = 0;
    if (name == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

}  // namespace semel::bench
