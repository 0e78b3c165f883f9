#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/server_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

Finished run_semel(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), places::semel);
  return run_to_end(std::move(arguments));
}

TEST(ReadyLine, NamesTheFreePortThatWasTakenAndTheStoreAsGiven) {
  TempDir folder;
  const std::filesystem::path file = folder / "new.db";

  ServerProcess server(file);

  EXPECT_THAT(
      server.ready_line(),
      MatchesRegex("semel: ready http=127.0.0.1:[1-9][0-9]* grpc=127.0.0.1:[1-9][0-9]* store=sqlite:" + file.string()));
  EXPECT_EQ(server.connect().get("/healthz").status, 200);
  EXPECT_EQ(server.connect().get("/readyz").status, 200);
}

TEST(ReadyLine, IsAllThatStandsOnStandardOutput) {
  TempDir folder;
  ServerProcess server(folder / "new.db");
  server.connect().post("/v1/tasks", {{"handler", "h"}});

  EXPECT_EQ(server.stop(), 0);

  EXPECT_EQ(server.process().read_rest(), "");
}

TEST(ReadyLine, NamesAnIpv6AddressInBrackets) {
  TempDir folder;
  Process process(server_command({"--listen", "[::1]:0", "--store", "sqlite:" + (folder / "a.db").string()}));

  const std::string line = process.read_line().value_or("");

  // A machine without IPv6 is told so, with the address.
  if (line.empty()) EXPECT_THAT(process.errors(), HasSubstr("cannot listen on ::1"));
  else EXPECT_THAT(line, StartsWith("semel: ready http=[::1]:"));
}

TEST(ReadyLine, SaysThatGrpcIsOff) {
  TempDir folder;

  ServerProcess server(folder / "a.db", {"--grpc-listen", "off"});

  EXPECT_THAT(server.ready_line(), HasSubstr(" grpc=off "));
}

TEST(Help, TellsTheCommandsAndTheirOptions) {
  const Finished all = run_semel({"--help"});
  const Finished server = run_semel({"server", "--help"});

  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.output, HasSubstr("server"));
  EXPECT_EQ(server.code, 0);
  for (const char* option :
       {"--listen", "--grpc-listen", "--store", "--threads", "--log-level", "--log-format", "127.0.0.1:7420"}) {
    EXPECT_THAT(server.output, HasSubstr(option));
  }
}

TEST(Version, IsOneLine) {
  const Finished version = run_semel({"--version"});

  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.output, MatchesRegex("semel [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(WrongUsage, EndsWithTwoAndTheHelp) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"serve"},
                                                    {"server", "--port", "1"},
                                                    {"server", "--listen"},
                                                    {"server", "more"},
                                                    {"server", "--threads", "-1"},
                                                    {"server", "--threads", "many"},
                                                    {"server", "--log-level", "loud"},
                                                    {"server", "--log-format", "xml"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Finished finished = run_semel(arguments);

    SCOPED_TRACE(testing::PrintToString(arguments));
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.output + finished.errors, HasSubstr("--help"));
  }
}

struct Refusal {
  std::vector<std::string> arguments;
  std::string why;
};

TEST(RefusedStart, EndsWithOneAndSaysWhyInOneLine) {
  const std::vector<Refusal> refusals{
      {{"--listen", "0.0.0.0:0"}, "the address can be reached from outside, and there is no API key"},
      {{"--listen", "192.168.1.1:7420"}, "can be reached from outside"},
      {{"--listen", "[::]:7420"}, "can be reached from outside"},
      {{"--listen", "127.0.0.1"}, "'127.0.0.1' is not an address such as 127.0.0.1:7420"},
      {{"--listen", "127.0.0.1:99999"}, "is not an address"},
      {{"--listen", "::1:80"}, "is not an address"},
      {{"--listen", ":80"}, "is not an address"},
      {{"--grpc-listen", "7421"}, "'7421' is not an address"},
      {{"--listen", "127.0.0.1:0", "--grpc-listen", "0.0.0.0:0"}, "can be reached from outside"},
      {{"--store", "postgres://127.0.0.1:1/semel"}, "cannot connect to PostgreSQL"},
      {{"--store", "postgresql://ada:secret@127.0.0.1:1/semel"}, "Connection refused"},
      {{"--store", "semel.db"}, "'semel.db' is not a store; use sqlite:FILE"},
      {{"--store", "sqlite:"}, "is not a store"}};
  for (const auto& [arguments, why] : refusals) {
    const Finished finished = run_to_end(server_command(arguments));

    SCOPED_TRACE(testing::PrintToString(arguments));
    EXPECT_EQ(finished.code, 1);
    EXPECT_EQ(finished.output, "");
    EXPECT_THAT(finished.errors, MatchesRegex("semel: [^\n]*\n"));
    EXPECT_THAT(finished.errors, HasSubstr(why));
  }
}

TEST(RefusedStart, NamesAPortThatIsTaken) {
  TempDir folder;
  ServerProcess first(folder / "first.db");

  const Finished second =
      run_to_end(server_command({"--listen", first.address(), "--store", "sqlite:" + (folder / "second.db").string()}));

  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.output, "");
  EXPECT_THAT(second.errors, HasSubstr(first.address()));
  EXPECT_THAT(second.errors, HasSubstr("in use"));
}

TEST(RefusedStart, NamesAPortForGrpcThatIsTaken) {
  TempDir folder;
  ServerProcess first(folder / "first.db");
  const std::size_t begin = first.ready_line().find("grpc=") + 5;
  const std::string taken = first.ready_line().substr(begin, first.ready_line().find(' ', begin) - begin);

  const Finished second = run_to_end(server_command(
      {"--listen", "127.0.0.1:0", "--grpc-listen", taken, "--store", "sqlite:" + (folder / "second.db").string()}));

  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.output, "");
  EXPECT_THAT(second.errors, HasSubstr("cannot listen on " + taken + " for gRPC"));
}

}  // namespace
}  // namespace semel::test
