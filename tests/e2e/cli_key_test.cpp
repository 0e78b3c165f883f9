#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;

class CliKey : public testing::Test {
 protected:
  std::filesystem::path file() { return folder_ / "semel.db"; }
  std::string store() { return "sqlite:" + file().string(); }
  /// The secret of a key that is made on the stopped store.
  std::string make_key(const std::string& permissions, std::vector<std::string> more = {}) {
    std::vector<std::string> command{"key", "create", "--store", store(), "--permissions", permissions, "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const Finished made = run_semel(command);
    EXPECT_EQ(made.code, 0) << made.errors;
    return Json::parse(made.output, nullptr, false).value("key", "");
  }

  TempDir folder_;
};

TEST_F(CliKey, TheFirstIsMadeOnAStoppedStoreAndIsThenRequired) {
  const std::string admin = make_key("admin,tasks:create,tasks:read");
  ServerProcess server(file());

  const Finished without = run_client(server.address(), {"submit", "--handler", "mail"});
  const Finished with = run_client(server.address(), {"submit", "--handler", "mail", "--key", admin});

  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.errors, HasSubstr("an API key is required"));
  EXPECT_EQ(with.code, 0) << with.errors;
}

TEST_F(CliKey, TheFirstIsMadeOverAnOpenServerAndIsRequiredFromThenOn) {
  ServerProcess server(file());
  ASSERT_EQ(run_client(server.address(), {"submit", "--handler", "mail"}).code, 0);

  const Finished made =
      run_client(server.address(), {"key", "create", "--name", "ops", "--permissions", "admin", "--json"});

  ASSERT_EQ(made.code, 0) << made.errors;
  const std::string admin = Json::parse(made.output)["key"];
  EXPECT_EQ(run_client(server.address(), {"submit", "--handler", "mail"}).code, 1);
  const Finished listed = run_client(server.address(), {"key", "ls", "--key", admin});
  EXPECT_EQ(listed.code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr("ops"));
  const Finished audited = run_client(server.address(), {"audit", "--key", admin});
  EXPECT_THAT(audited.output, HasSubstr("key.create")) << audited.errors;
}

TEST_F(CliKey, IsRevokedByItsId) {
  make_key("admin");
  const std::string other = make_key("tasks:create");
  const std::string id = other.substr(6, 12);

  const Finished revoked = run_semel({"key", "revoke", id, "--store", store()});
  ServerProcess server(file());

  EXPECT_EQ(revoked.code, 0) << revoked.errors;
  EXPECT_EQ(run_client(server.address(), {"submit", "--handler", "mail", "--key", other}).code, 1);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(run_semel({"key", "revoke", "nobody", "--store", store()}).code, 4);
}

TEST_F(CliKey, AStoreInUseIsRefused) {
  ServerProcess server(file());
  const Finished refused = run_semel({"key", "create", "--store", store(), "--permissions", "admin"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("in use"));
}

TEST_F(CliKey, APublicAddressNeedsKeysAndKeysNeedTls) {
  const std::vector<std::string> open{places::semel, "server", "--listen", "0.0.0.0:0", "--store", store()};
  const Finished no_keys = run_to_end(open);
  make_key("admin");
  const Finished in_the_clear = run_to_end(open);

  EXPECT_EQ(no_keys.code, 1);
  EXPECT_THAT(no_keys.errors, HasSubstr("there is no API key"));
  EXPECT_EQ(in_the_clear.code, 1);
  EXPECT_THAT(in_the_clear.errors, HasSubstr("would travel in the clear"));
  ServerProcess allowed(file(), {"--plain-keys"});  // on loopback here: a test must not open a public port
  EXPECT_EQ(allowed.stop(), 0);
}

}  // namespace
}  // namespace semel::test
