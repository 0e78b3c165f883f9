#include <gmock/gmock.h>

#include "tests/support/certificate.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_session.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

/// libpq's own parameters say how a connection is protected, and count for every connection of a store.
class PostgresTls : public testing::Test {
 protected:
  PostgresTls() { server_.use_tls(certificate_); }

  std::string target(const Certificate& trusted) const {
    return "postgres://semel@" + server_.address() +
           "/postgres?sslmode=verify-full&sslrootcert=" + trusted.certificate.string();
  }

  TempDir folder_;
  Certificate certificate_ = make_certificate(folder_.path(), "localhost");
  PostgresServer server_;
};

TEST_F(PostgresTls, AllConnectionsOfAStoreAreProtected) {
  store::PostgresStore store(target(certificate_), {});
  store.listen([](const News&) {});

  const auto open = Session(server_.connection_string())
                        .execute(
                            "SELECT count(*) AS all, count(*) FILTER (WHERE s.ssl) AS protected FROM"
                            " pg_stat_activity a JOIN pg_stat_ssl s USING (pid)"
                            " WHERE a.application_name LIKE 'semel%'");

  EXPECT_GE(std::stoi(open.text(0, "all")), 1);
  EXPECT_EQ(open.text(0, "protected"), open.text(0, "all"));
  store.listen(nullptr);
}

TEST_F(PostgresTls, AServerThatNobodyVouchesForIsRefused) {
  const Certificate other = make_certificate(folder_.path(), "other");

  try {
    store::PostgresStore store(target(other), {});
    ADD_FAILURE() << "the store was opened";
  } catch (const StoreFault& fault) {
    EXPECT_THAT(fault.what(), testing::HasSubstr("certificate verify failed"));
  }
}

}  // namespace
}  // namespace semel::test
