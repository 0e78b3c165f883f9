#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/database.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class CliStore : public CliTest {
 protected:
  std::string store() { return "sqlite:" + (folder_ / "semel.db").string(); }
  std::string backup() { return (folder_ / "backup.db").string(); }
};

TEST_F(CliStore, IsBackedUpWhileItsServerRunsAndRestored) {
  submit({"--handler", "h", "--idempotency-key", "before"});
  const Finished saved = run_semel({"backup", "--store", store(), "--to", backup()});
  submit({"--handler", "h", "--idempotency-key", "after"});
  const Finished running = run_semel({"restore", "--from", backup(), "--store", store(), "--force"});
  ASSERT_EQ(server_.stop(), 0);
  const Finished unforced = run_semel({"restore", "--from", backup(), "--store", store()});
  const Finished restored = run_semel({"restore", "--from", backup(), "--store", store(), "--force"});
  ServerProcess again(folder_ / "semel.db");

  EXPECT_EQ(saved.code, 0) << saved.errors;
  EXPECT_THAT(saved.output, MatchesRegex(".*backup.db: .* KiB, checked\n"));
  EXPECT_EQ(running.code, 1);
  EXPECT_THAT(running.errors, HasSubstr("in use by the process with pid " + std::to_string(server_.process().pid())));
  EXPECT_EQ(unforced.code, 1);
  EXPECT_THAT(unforced.errors, HasSubstr("--force"));
  EXPECT_EQ(restored.code, 0) << restored.errors;
  EXPECT_EQ(again.connect().get("/v1/tasks/by-key?key=before").status, 200);
  EXPECT_EQ(again.connect().get("/v1/tasks/by-key?key=after").status, 404);
}

TEST_F(CliStore, IsNotOverwrittenByABackup) {
  const std::string before = "a letter";
  write_file(backup(), before);

  const Finished refused = run_semel({"backup", "--store", store(), "--to", backup()});
  const Finished forced = run_semel({"backup", "--store", store(), "--to", backup(), "--force"});

  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("exists already"));
  EXPECT_EQ(forced.code, 0) << forced.errors;
}

TEST_F(CliStore, IsFoundWell) {
  submit({"--handler", "h"});

  const Finished done = run_semel({"doctor", "--store", store(), "--url", "http://" + server_.address()});

  EXPECT_EQ(done.code, 0) << done.output;
  for (const char* what : {"clock", "store", "schema", "integrity", "log", "disk", "lock", "server", "ready"})
    EXPECT_THAT(done.output, MatchesRegex(std::string("(.|\n)*(ok|warn) +") + what + " (.|\n)*"));
  EXPECT_THAT(done.output, HasSubstr("the process with pid " + std::to_string(server_.process().pid()) + " uses it"));
}

TEST_F(CliStore, IsFoundIll) {
  submit({"--handler", "h", "--context", "\"" + std::string(100'000, 'x') + "\""});
  ASSERT_EQ(server_.stop(), 0);
  std::fstream file(folder_ / "semel.db", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(folder_ / "semel.db") - 60'000));
  file << std::string(30'000, '\x5a');
  file.close();

  const Finished done = run_semel({"doctor", "--store", store()});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.output, MatchesRegex("(.|\n)*fail  integrity (.|\n)*"));
}

TEST_F(CliStore, ThatIsNoneIsFoundIll) {
  write_file(folder_ / "letter.txt", std::string(5000, 'x'));

  const Finished letter = run_semel({"doctor", "--store", "sqlite:" + (folder_ / "letter.txt").string()});
  const Finished none = run_semel({"doctor", "--store", "sqlite:" + (folder_ / "none.db").string()});

  EXPECT_EQ(letter.code, 1);
  EXPECT_THAT(letter.output, HasSubstr("cannot be a store"));
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.output, HasSubstr("there is no file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST_F(CliStore, IsNotNeededToFindAServerGone) {
  const std::string url = "http://" + server_.address();
  ASSERT_EQ(server_.stop(), 0);

  const Finished done = run_semel({"doctor", "--url", url, "--retries", "0"});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.output, MatchesRegex("(.|\n)*fail  server  cannot reach " + url + "(.|\n)*"));
}

}  // namespace
}  // namespace semel::test
