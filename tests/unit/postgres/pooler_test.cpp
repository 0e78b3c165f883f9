#include <gmock/gmock.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <fstream>

#include "store/postgres/examine.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using store::Finding;

/// PgBouncer before the tests' server, on a socket in a folder of its own.
class PgBouncer {
 public:
  explicit PgBouncer(const std::string& mode) : process_(command(mode)) {
    const std::string ping = target("postgres");
    while (PQping(ping.c_str()) != PQPING_OK) poll(nullptr, 0, 10);  // nothing tells when it is ready
  }

  std::string target(const std::string& database) const {
    return "host=" + folder_.path().string() + " port=6432 user=semel dbname=" + database;
  }

 private:
  /// It refuses to run as root, as PostgreSQL does.
  std::vector<std::string> command(const std::string& mode) {
    const std::string folder = folder_.path().string();
    const std::string server = PostgresServer::shared().address();
    std::ofstream(folder_ / "pgbouncer.ini")
        << "[databases]\n* = host=127.0.0.1 port=" << server.substr(server.find(':') + 1)
        << " user=semel\n[pgbouncer]\n"
        << "pool_mode = " << mode << "\nlisten_addr =\nlisten_port = 6432\n"
        << "unix_socket_dir = " << folder << "\nauth_type = any\n";
    std::vector<std::string> command{"/usr/sbin/pgbouncer", "-q", folder + "/pgbouncer.ini"};
    const passwd* const other = getpwnam("postgres");
    if (geteuid() == 0 && other != nullptr) {
      EXPECT_EQ(chown(folder.c_str(), other->pw_uid, other->pw_gid), 0);
      command.insert(command.begin() + 1, {"-u", "postgres"});
    }
    return command;
  }

  TempDir folder_;
  Process process_;
};

/// What is said of it; nothing when it was not seen.
std::optional<Finding::Verdict> verdict_on_pooler(const std::string& target) {
  for (const Finding& each : store::postgres::examine(target, SystemClock()).all()) {
    if (each.what == "pooler") return each.verdict;
  }
  return std::nullopt;
}

TEST(Pooler, IsSeenWhenThereIsOneAndFailsWhenItSharesSessions) {
  const PostgresDatabase database;
  const std::string name = database.open()->execute("SELECT current_database() AS name").text(0, "name");

  EXPECT_EQ(verdict_on_pooler(database.target()), std::nullopt);
  EXPECT_EQ(verdict_on_pooler(PgBouncer("session").target(name)), Finding::Verdict::warn);
  EXPECT_EQ(verdict_on_pooler(PgBouncer("transaction").target(name)), Finding::Verdict::fail);
}

}  // namespace
}  // namespace semel::test
