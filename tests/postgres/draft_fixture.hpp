#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "domain/holder.hpp"
#include "tests/postgres/postgres_server.hpp"
#include "tests/postgres/session.hpp"
#include "tests/support/builders.hpp"

namespace semel::test {

/// Started by the first test that asks, stopped when the program ends.
inline PostgresServer& server() {
  static PostgresServer started;
  return started;
}

/// Sessions on an empty database with the tables and statements of the draft.
class PostgresDraft : public testing::Test {
 protected:
  void SetUp() override {
    Session session(server().connection_string());
    session.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    session.execute(draft().first);
  }

  /// A new session with all statements prepared, whose clock stands.
  std::unique_ptr<Session> open() {
    auto session = std::make_unique<Session>(server().connection_string());
    session->execute(draft().second);
    session->execute("SET semel.now_ms = '" + std::to_string(to_ms(ManualClock::start)) + "'");
    return session;
  }

  /// The file's two parts: tables, and the statements of a session.
  static std::pair<std::string, std::string> draft() {
    std::ifstream file(std::string(SEMEL_SOURCE_DIR) + "/src/store/postgres/draft/claim_identity.sql");
    std::ostringstream text;
    text << file.rdbuf();
    const std::string sql = text.str();
    const std::size_t middle = sql.find("-- ==== Statements");
    if (middle == std::string::npos) throw std::runtime_error("the draft has lost its two parts");
    return {sql.substr(0, middle), sql.substr(middle)};
  }

  /// Waits until the session waits for a lock. (Nothing tells a test when that is; the server is asked.)
  void await_lock(Session& observer, const Session& waiting) {
    const std::string sql =
        "SELECT wait_event_type FROM pg_stat_activity WHERE pid = " + std::to_string(waiting.process_id());
    for (int tries = 0; tries < 1000; ++tries) {
      if (observer.execute(sql).get(0, "wait_event_type") == "Lock") return;
      observer.execute("SELECT pg_sleep(0.005)");
    }
    FAIL() << "the session never waited for a lock";
  }

  Ids ids_;
};

/// A batch of submissions as the eleven arrays of semel_submit.
inline std::vector<std::string> parameters_of(const std::vector<Submit>& batch) {
  std::vector<std::vector<std::string>> columns(11);
  for (const Submit& submit : batch) {
    const domain::ExecutionSpec& spec = submit.spec;
    const std::vector<std::string> row{spec.tenant,
                                       bytea(spec.identity.hash),
                                       spec.id.text(),
                                       spec.queue,
                                       spec.handler,
                                       std::to_string(spec.priority),
                                       std::to_string(submit.delay.value_or(Duration{0}).count()),
                                       std::to_string(spec.head_start.count()),
                                       spec.context,
                                       std::to_string(static_cast<int>(spec.window.kind)),
                                       std::to_string(spec.window.length.count())};
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  std::vector<std::string> parameters;
  for (const std::vector<std::string>& column : columns) parameters.push_back(array_of(column));
  return parameters;
}

/// The identities of a batch as the two arrays of semel_lock_identities and semel_read_holders.
inline std::vector<std::string> identities_of(const std::vector<Submit>& batch) {
  const std::vector<std::string> all = parameters_of(batch);
  return {all[0], all[1]};
}

/// A batch that takes over from the expected holders, one for each.
inline std::vector<std::string> takeover_of(const std::vector<Submit>& batch,
                                            const std::vector<domain::ExecutionId>& expected) {
  std::vector<std::string> parameters = parameters_of(batch);
  std::vector<std::string> texts;
  for (const domain::ExecutionId& id : expected) texts.push_back(id.text());
  parameters.push_back(array_of(texts));
  return parameters;
}

/// Who was created, in arrival order.
inline std::vector<bool> created_of(const Rows& rows) {
  std::vector<bool> created;
  for (int row = 0; row < rows.count(); ++row) created.push_back(rows.is_true(row, "created"));
  return created;
}

}  // namespace semel::test
