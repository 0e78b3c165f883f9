#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/print.hpp"
#include "tests/unit/config/config_files.hpp"

namespace semel::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(const Sources& sources) {
  const Result<Loaded> loaded = load(sources);
  return loaded ? "" : loaded.error().message;
}

TEST(Load, GivesTheDefaultsWhenNothingIsSaid) {
  const Result<Loaded> loaded = load({});

  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->options.listen, "127.0.0.1:7420");
  EXPECT_EQ(loaded->options.http.connections_max, 10'000u);
  EXPECT_EQ(loaded->options.commits.commands_max, 16'384u);
  EXPECT_EQ(loaded->options.limits.open_tasks, 0u);
  for (const std::string& origin : loaded->origins) EXPECT_EQ(origin, "default");
}

TEST(Load, ReadsEveryTypeFromAFile) {
  const ConfigFile file(R"(
listen = "127.0.0.1:0"
threads = 3
log_level = "WARN"
log_format = "json"
shutdown_grace = "3s"
plain_keys = true

[http]
connections_max = 7
idle_time_max = "5m"

[limits]
open_tasks = 1_000
payload_bytes = 0x1000
)");

  const Result<Loaded> loaded = load(file.sources());

  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->options.listen, "127.0.0.1:0");
  EXPECT_EQ(loaded->options.threads, 3);
  EXPECT_EQ(loaded->options.log_level, log::Level::warn);
  EXPECT_EQ(loaded->options.log_format, log::Format::json);
  EXPECT_EQ(loaded->options.shutdown_grace, 3s);
  EXPECT_TRUE(loaded->options.plain_keys);
  EXPECT_EQ(loaded->options.http.connections_max, 7u);
  EXPECT_EQ(loaded->options.http.idle_time_max, 5min);
  EXPECT_EQ(loaded->options.limits.open_tasks, 1'000u);
  EXPECT_EQ(loaded->options.limits.payload_bytes, 4'096u);
}

TEST(Load, LetsTheEnvironmentWinOverTheFileAndFlagsOverBoth) {
  const ConfigFile file("threads = 1\nlog_level = \"off\"\nstore = \"sqlite:file.db\"\n");
  Sources sources = file.sources();
  sources.environment = {{"SEMEL_THREADS", "2"}, {"SEMEL_LOG_LEVEL", "debug"}, {"HOME", "x"}};
  sources.flags = {{find_setting("threads"), "3"}};

  const Result<Loaded> loaded = load(sources);

  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->options.threads, 3);
  EXPECT_EQ(loaded->options.log_level, log::Level::debug);
  EXPECT_EQ(loaded->options.store, "sqlite:file.db");
  EXPECT_EQ(origin_of(*loaded, "threads"), "--threads");
  EXPECT_EQ(origin_of(*loaded, "log_level"), "SEMEL_LOG_LEVEL");
  EXPECT_EQ(origin_of(*loaded, "store"), file.path().string() + ":3");
  EXPECT_EQ(origin_of(*loaded, "listen"), "default");
}

TEST(Load, NamesTheLineOfWhatIsWrongAndTheClosestName) {
  EXPECT_EQ(ConfigFile("\nlistn = \"127.0.0.1:0\"\n").problems(),
            "semel.toml:2: 'listn' is no setting; did you mean listen?");
  EXPECT_EQ(ConfigFile("[http]\n\nconnection_max = 1\n").problems(),
            "semel.toml:3: 'http.connection_max' is no setting; did you mean http.connections_max?");
  EXPECT_EQ(ConfigFile("LISTEN = \"127.0.0.1:0\"\n").problems(),
            "semel.toml:1: 'LISTEN' is no setting; did you mean listen?");
  EXPECT_EQ(ConfigFile("[queue.mail]\nmax_running = 1\n").problems(),
            "semel.toml:2: 'queue.mail.max_running' is no setting; did you mean [queues.NAME], with an s?");
  EXPECT_EQ(ConfigFile("zzz = 1\n").problems(),
            "semel.toml:1: 'zzz' is no setting; `semel config print` shows all settings");
  EXPECT_EQ(ConfigFile("threads = \"3\"\n").problems(),
            "semel.toml:1: threads must be a whole number from 0 to 256, not the text '3'");
  EXPECT_EQ(ConfigFile("threads = 257\n").problems(),
            "semel.toml:1: threads must be a whole number from 0 to 256, not '257'");
  EXPECT_EQ(ConfigFile("threads = 1.5\n").problems(),
            "semel.toml:1: threads must be a whole number from 0 to 256, not a fraction");
  EXPECT_EQ(ConfigFile("plain_keys = 1\n").problems(), "semel.toml:1: plain_keys must be true or false, not 1");
  EXPECT_EQ(ConfigFile("shutdown_grace = 10\n").problems(),
            "semel.toml:1: shutdown_grace must be a duration from \"0\" to \"1h\", not 10");
  EXPECT_EQ(ConfigFile("listen = [\"a\"]\n").problems(), "semel.toml:1: listen must be a text, not an array");
  EXPECT_EQ(ConfigFile("[listen]\n").problems(), "semel.toml:1: listen must be a text, not a table");
  EXPECT_EQ(ConfigFile("log_level = \"loud\"\n").problems(),
            "semel.toml:1: log_level must be debug, info, warn, error or off, not 'loud'");
}

TEST(Load, NamesTheLineOfWhatIsNotToml) {
  EXPECT_THAT(ConfigFile("threads = 1\nlisten = \n").problems(), StartsWith("semel.toml:2: "));
  EXPECT_THAT(ConfigFile("threads = 1\nthreads = 2\n").problems(), StartsWith("semel.toml:2: "));
}

TEST(Load, ListsAllProblemsAndNotJustTheFirst) {
  const ConfigFile file("threads = true\nlisten = 7\n");
  Sources sources = file.sources();
  sources.environment = {{"SEMEL_PLAIN_KEYS", "yes"}};

  const std::string problems = refusal(sources);

  EXPECT_THAT(problems, HasSubstr(":1: threads must be"));
  EXPECT_THAT(problems, HasSubstr(":2: listen must be"));
  EXPECT_THAT(problems, HasSubstr("SEMEL_PLAIN_KEYS: plain_keys must be true or false, not 'yes'"));
}

TEST(Load, RefusesAFileThatCannotBeRead) {
  const test::TempDir folder;

  EXPECT_THAT(refusal({folder / "none.toml", {}, {}}), HasSubstr("none.toml: cannot read the file"));
  EXPECT_THAT(refusal({folder.path(), {}, {}}), HasSubstr(": cannot read the file"));
}

TEST(Load, RefusesVariablesThatItDoesNotKnow) {
  EXPECT_EQ(refusal({{}, {{"SEMEL_LISTN", "x"}}, {}}), "SEMEL_LISTN is no setting; did you mean SEMEL_LISTEN?");
  EXPECT_EQ(refusal({{}, {{"SEMELISTEN", "x"}, {"OTHER", "y"}}, {}}), "");
  for (const std::string_view name : foreign_variables()) EXPECT_EQ(refusal({{}, {{std::string(name), "x"}}, {}}), "");
  EXPECT_THAT(foreign_variables(), testing::IsSupersetOf({"SEMEL_URL", "SEMEL_KEY"}));
  EXPECT_EQ(refusal({{}, {{"SEMEL_TASK_UUID", "x"}, {"SEMEL_TASK_EFFECT_KEY", "y"}}, {}}), "");
}

TEST(Load, ShowsNoSecret) {
  const Result<Loaded> loaded = load({{},
                                      {{"SEMEL_DISPATCH_SIGNING_SECRET", "whsec_hush"},
                                       {"SEMEL_CLOUD_TASKS_CREDENTIALS", "{\"private_key\":\"hush\"}"},
                                       {"SEMEL_DISPATCH_SIGNING_SECRETS_FILE", "/etc/semel/signing-secrets"}},
                                      {}});

  ASSERT_TRUE(loaded);
  EXPECT_THAT(to_toml(*loaded), HasSubstr("/etc/semel/signing-secrets"));
  EXPECT_THAT(to_toml(*loaded) + to_json(*loaded), testing::Not(HasSubstr("hush")));
}

TEST(Load, ChecksTheUrlsAndNetworksOfDispatch) {
  const auto problem = [](const char* variable, const char* text) { return refusal({{}, {{variable, text}}, {}}); };

  EXPECT_EQ(problem("SEMEL_DISPATCH_CALLBACK_URL", "https://semel.example/base"), "");
  EXPECT_THAT(problem("SEMEL_DISPATCH_CALLBACK_URL", "https://semel.example/"), HasSubstr("ends without a slash"));
  EXPECT_THAT(problem("SEMEL_DISPATCH_CALLBACK_URL", "semel.example"), HasSubstr("is not a url"));
  EXPECT_EQ(problem("SEMEL_DISPATCH_ALLOWED_NETWORKS", "10.0.0.0/8, ::1"), "");
  EXPECT_THAT(problem("SEMEL_DISPATCH_ALLOWED_NETWORKS", "all"), HasSubstr("is not a network such as"));
  EXPECT_THAT(problem("SEMEL_CLOUD_TASKS_API_URL", ""), HasSubstr("cannot be empty"));
  EXPECT_THAT(problem("SEMEL_CLOUD_TASKS_DELIVER_TO", "ftp://a"), HasSubstr("cloud_tasks.deliver_to: "));
}

TEST(Load, ChecksWhatTheTypeCannotSay) {
  EXPECT_THAT(ConfigFile("listen = \"here\"\n").problems(), StartsWith("semel.toml:1: 'here' is not an address"));
  EXPECT_THAT(refusal({{}, {{"SEMEL_GRPC_LISTEN", "7421"}}, {}}), StartsWith("SEMEL_GRPC_LISTEN: '7421' is not an"));
  EXPECT_THAT(refusal({{}, {}, {{find_setting("store"), "semel.db"}}}),
              StartsWith("--store: 'semel.db' is not a store"));
}

TEST(Load, WantsBothFilesOfTlsOrNone) {
  EXPECT_EQ(ConfigFile("tls_cert = \"a.pem\"\n").problems(), "semel.toml:1: tls_cert needs tls_key beside it");
  EXPECT_EQ(ConfigFile("tls_key = \"a.pem\"\n").problems(), "semel.toml:1: tls_key needs tls_cert beside it");
  EXPECT_EQ(ConfigFile("tls_key = \"a.pem\"\ntls_cert = \"b.pem\"\n").problems(), "");
}

TEST(Load, ReadsQueues) {
  const ConfigFile file(R"(
[queues.mail]
rate_limit = "100/sec"
max_running = 5
max_in_flight = 20
paused = true

[queues."a.b"]
retention = "0"
)");

  const Result<Loaded> loaded = load({file.path(), {}, {}});

  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->options.queues.at("mail").rate_limit, domain::parse_rate("100/sec"));
  EXPECT_EQ(loaded->options.queues.at("mail").max_running, 5);
  EXPECT_EQ(loaded->options.queues.at("mail").max_in_flight, 20);
  EXPECT_EQ(loaded->options.queues.at("mail").paused, true);
  EXPECT_EQ(loaded->options.queues.at("a.b").retention, 0s);
  EXPECT_THAT(to_toml(*loaded), HasSubstr("queues.\"a.b\".retention = \"0\""));
  EXPECT_THAT(to_json(*loaded), HasSubstr(R"("queues.mail.max_running":{"value":5,"from":)"));
}

TEST(Load, RefusesQueuesThatMakeNoSense) {
  const std::pair<const char*, const char*> cases[] = {
      {"[queues.mail]\nmax_running = \"5\"\n", ":2: max_running must be a number"},
      {"[queues.mail]\nrate_limit = 5\n", ":2: rate_limit must be a count"},
      {"[queues.mail]\nrate = 5\n", ":2: a queue has no option 'rate'"},
      {"[queues.mail]\nrate_burst = 5\n", ":2: rate_burst needs a rate_limit"},
      {"[queues.\"a b\"]\npaused = true\n", ":2: a queue's name must be 1 to 100 characters"},
      {"queues.mail = 5\n", ":1: queues.mail is a value; a queue has a table of options, such as [queues.mail]"},
  };
  for (const auto& [text, expected] : cases) {
    const ConfigFile file(text);
    EXPECT_THAT(refusal({file.path(), {}, {}}), HasSubstr(expected));
  }
}

TEST(Load, TakesADedupCacheOnlyBesidePostgreSql) {
  const std::string store = "store = \"postgres://semel@db/semel\"\n";
  const std::string cache = "dedup_cache = \"redis://cache:7000/1\"\n";

  const Result<Loaded> loaded = load(ConfigFile(store + cache).sources());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->options.dedup_cache, "redis://cache:7000/1");
  EXPECT_THAT(ConfigFile(cache).problems(), HasSubstr("dedup_cache is for servers on PostgreSQL"));
  EXPECT_THAT(ConfigFile(store + "dedup_cache = \"cache:6379\"\n").problems(), HasSubstr("redis://HOST"));
}

}  // namespace
}  // namespace semel::config
