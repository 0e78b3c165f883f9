#include "tests/support/postgres_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "tests/support/free_port.hpp"

namespace semel::test {
namespace {

using namespace std::chrono_literals;

/// The server refuses to run as root; the Debian package brings a user for it.
struct RunAs {
  uid_t user;
  gid_t group;
};

std::optional<RunAs> other_than_root() {
  if (geteuid() != 0) return std::nullopt;
  const passwd* entry = getpwnam("postgres");
  if (entry == nullptr) throw std::runtime_error("no user 'postgres': install the package postgresql");
  return RunAs{entry->pw_uid, entry->pw_gid};
}

/// Where Debian puts the programs of the newest version.
std::filesystem::path find_binaries() {
  glob_t found{};
  std::filesystem::path newest;
  if (glob("/usr/lib/postgresql/*/bin/initdb", 0, nullptr, &found) == 0) {
    newest = std::filesystem::path(found.gl_pathv[found.gl_pathc - 1]).parent_path();
  }
  globfree(&found);
  if (newest.empty()) throw std::runtime_error("no PostgreSQL server found: install the package postgresql");
  return newest;
}

/// Starts a program with its output in `log`. SIGQUIT is an immediate stop for a server, also when the test
/// dies.
pid_t spawn(const std::vector<std::string>& command, const std::filesystem::path& log) {
  const std::optional<RunAs> run_as = other_than_root();
  std::vector<char*> arguments;
  for (const std::string& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return child;

  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  const bool changed =
      !run_as || (setgroups(0, nullptr) == 0 && setgid(run_as->group) == 0 && setuid(run_as->user) == 0);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);  // after setuid, which forgets it
  if (changed && getppid() == parent && chdir("/") == 0) execv(arguments[0], arguments.data());
  _exit(127);
}

bool succeeded(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::filesystem::path make_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "semel-postgres-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  const std::optional<RunAs> run_as = other_than_root();
  if (run_as && chown(name.c_str(), run_as->user, run_as->group) != 0) throw std::runtime_error("chown failed");
  return name;
}

}  // namespace

PostgresServer::PostgresServer(Kind kind) : kind_(kind), binaries_(find_binaries()), directory_(make_directory()) {
  make({binaries_ / "initdb", "-D", directory_ / "data", "-U", "semel", "-A", "trust", "-E", "UTF8", "--locale=C",
        "--no-sync"});
}

PostgresServer::PostgresServer(const PostgresServer& primary, Kind kind)
    : kind_(kind), binaries_(find_binaries()), directory_(make_directory()) {
  make({binaries_ / "pg_basebackup", "-D", directory_ / "data", "-d", primary.connection_string(), "-R", "-c", "fast",
        "--no-sync"});
}

void PostgresServer::make(const std::vector<std::string>& command) {
  try {
    if (!succeeded(spawn(command, directory_ / "log"))) throw std::runtime_error(command.front() + " failed: " + log());
    start();
  } catch (...) {
    stop();
    throw;
  }
}

PostgresServer::~PostgresServer() { stop(); }

PostgresServer& PostgresServer::shared() {
  static PostgresServer started;
  return started;
}

std::string PostgresServer::connection_string(std::string_view database) const {
  return fmt::format("host={} port={} user=semel dbname={} connect_timeout=10", directory_.string(), port_, database);
}

std::string PostgresServer::url(std::string_view database) const {
  return fmt::format("postgres:///{}?host={}&port={}&user=semel", database, directory_.string(), port_);
}

std::string PostgresServer::address() const { return fmt::format("127.0.0.1:{}", port_); }

/// Between asking for a free port and using it somebody else may take it: then with another one.
void PostgresServer::start() {
  for (int tries = 0; tries < 5; ++tries) {
    port_ = free_port();
    if (try_to_start()) return;
  }
  throw std::runtime_error("postgres did not start: " + log());
}

bool PostgresServer::try_to_start() {
  std::vector<std::string> command{
      binaries_ / "postgres", "-D", directory_ / "data", "-k", directory_, "-h", "127.0.0.1", "-p",
      std::to_string(port_)};
  if (kind_ == Kind::quick) command.emplace_back("-F");
  for (const char* setting :
       {"shared_buffers=64MB", "max_connections=60", "deadlock_timeout=200ms", "autovacuum=off"}) {
    command.insert(command.end(), {"-c", setting});
  }
  server_ = spawn(command, directory_ / "log");
  return is_ready();
}

void PostgresServer::crash() {
  kill(server_, SIGQUIT);
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

void PostgresServer::start_again() {
  if (!try_to_start()) throw std::runtime_error("postgres did not start again: " + log());
}

void PostgresServer::use_tls(const Certificate& certificate) {
  const std::filesystem::path data = directory_ / "data";
  const auto put = [&](const std::filesystem::path& from, const char* name) {
    const std::filesystem::path to = data / name;
    std::filesystem::copy_file(from, to);
    std::filesystem::permissions(to, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    const std::optional<RunAs> run_as = other_than_root();
    if (run_as && chown(to.c_str(), run_as->user, run_as->group) != 0) throw std::runtime_error("chown failed");
  };
  put(certificate.certificate, "server.crt");  // where it looks for them
  put(certificate.key, "server.key");
  std::ofstream(data / "postgresql.conf", std::ios::app) << "ssl = on\n";
  crash();
  start_again();
}

void PostgresServer::promote() {
  if (!succeeded(spawn({binaries_ / "pg_ctl", "-D", directory_ / "data", "-w", "promote"}, directory_ / "log")))
    throw std::runtime_error("the standby was not promoted: " + log());
}

bool PostgresServer::is_ready() {
  const std::string target = connection_string();
  for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
    if (PQping(target.c_str()) == PQPING_OK) return true;
    if (waitpid(server_, nullptr, WNOHANG) == server_) {
      server_ = -1;
      return false;
    }
    poll(nullptr, 0, 20);  // nothing tells when a server is ready; it has to be asked again
  }
  throw std::runtime_error("postgres did not get ready: " + log());
}

void PostgresServer::stop() noexcept {
  if (server_ > 0) {
    kill(server_, SIGQUIT);
    waitpid(server_, nullptr, 0);
    server_ = -1;
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string PostgresServer::log() const {
  std::ifstream file(directory_ / "log");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace semel::test
