#include "store/postgres/examine_settings.hpp"

#include <gmock/gmock.h>

namespace semel::store::postgres {
namespace {

using testing::HasSubstr;
using Verdict = Finding::Verdict;

/// As PostgreSQL comes.
ServerSettings usual_settings() {
  ServerSettings settings;
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"fsync", "on"},
                                          {"full_page_writes", "on"},
                                          {"synchronous_commit", "on"},
                                          {"synchronous_standby_names", ""},
                                          {"wal_level", "replica"},
                                          {"server_encoding", "UTF8"},
                                          {"client_encoding", "UTF8"},
                                          {"default_transaction_isolation", "read committed"},
                                          {"default_transaction_read_only", "off"},
                                          {"idle_session_timeout", "0"},
                                          {"statement_timeout", "0"},
                                          {"lock_timeout", "0"},
                                          {"idle_in_transaction_session_timeout", "0"},
                                          {"autovacuum", "on"},
                                          {"track_counts", "on"}})
    settings[name] = {value, value};
  return settings;
}

std::vector<Finding> judged(const ServerSettings& settings) {
  Findings findings;
  judge_settings(settings, findings);
  return findings.all();
}

/// What is found when one setting is otherwise.
std::vector<Finding> judged_with(const char* name, const char* here, const char* usual) {
  ServerSettings settings = usual_settings();
  settings[name] = {here, usual};
  std::vector<Finding> odd;
  for (const Finding& each : judged(settings)) {
    if (each.verdict != Verdict::ok) odd.push_back(each);
  }
  return odd;
}

TEST(JudgedSettings, AsPostgresComesAreWell) {
  for (const Finding& each : judged(usual_settings())) EXPECT_EQ(each.verdict, Verdict::ok) << each.found;
}

TEST(JudgedSettings, ThatLoseWhatWasAcknowledgedFail) {
  for (const char* name : {"fsync", "full_page_writes", "synchronous_commit"}) {
    const auto odd = judged_with(name, "off", "off");

    ASSERT_EQ(odd.size(), 1u) << name;
    EXPECT_EQ(odd[0].verdict, Verdict::fail);
    EXPECT_EQ(odd[0].what, name);
    EXPECT_THAT(odd[0].found, HasSubstr(std::string("set ") + name + " = on"));
  }
}

TEST(JudgedSettings, ThatSemelTurnsOnForItselfAreWorthALook) {
  const auto odd = judged_with("synchronous_commit", "on", "off");

  ASSERT_EQ(odd.size(), 1u);
  EXPECT_EQ(odd[0].verdict, Verdict::warn);
}

TEST(JudgedSettings, ThatChangeWhatStatementsMeanFail) {
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"server_encoding", "SQL_ASCII"},
                                                        {"client_encoding", "LATIN1"},
                                                        {"default_transaction_isolation", "serializable"},
                                                        {"default_transaction_read_only", "on"}}) {
    const auto odd = judged_with(name, value, value);

    ASSERT_EQ(odd.size(), 1u) << name;
    EXPECT_EQ(odd[0].verdict, Verdict::fail) << name;
  }
}

TEST(JudgedSettings, ThatEndConnectionsOrLeaveDeadRowsAreWorthALook) {
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"idle_session_timeout", "60000"},
                                                                                    {"transaction_timeout", "60000"},
                                                                                    {"autovacuum", "off"},
                                                                                    {"track_counts", "off"}}) {
    const auto odd = judged_with(name, value, value);

    ASSERT_EQ(odd.size(), 1u) << name;
    EXPECT_EQ(odd[0].verdict, Verdict::warn);
    EXPECT_EQ(odd[0].what, name);
  }
}

TEST(JudgedSettings, OfTheRoleThatServersSetThemselvesAreOnlyTold) {
  ServerSettings settings = usual_settings();
  settings["statement_timeout"] = {"60000", "5000"};

  Findings findings;
  judge_settings(settings, findings);

  bool is_told = false;
  for (const Finding& each : findings.all()) {
    EXPECT_EQ(each.verdict, Verdict::ok);
    is_told = is_told || each.found.find("statement_timeout 5000 ms") != std::string::npos;
  }
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace semel::store::postgres
