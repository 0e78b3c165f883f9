#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "examples/cpp/order_saga.hpp"
#include "semel/testing.hpp"
#include "tests/support/places.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

/// What `cmake --install` gives, as a project elsewhere uses it: `examples/cpp` is configured and built against it, and
/// each example run. It is what docs/guide/cpp.md and examples/README.md say.
namespace semel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void must(std::vector<std::string> command) {
  const std::string first = command.front();
  const Finished done = run_to_end(std::move(command));
  ASSERT_EQ(done.code, 0) << first << "\n" << done.output << done.errors;
}

class Package : public testing::Test {
 protected:
  /// In the build tree, and always at the same place, so that a compiler cache knows the files again.
  static fs::path folder() { return fs::path(places::build) / "package-test"; }
  static fs::path prefix() { return folder() / "prefix"; }
  static fs::path build() { return folder() / "build"; }

  static void SetUpTestSuite() {
    fs::remove_all(folder());
    must({"cmake", "--install", places::build, "--prefix", prefix()});
    must({"cmake", "-S", fs::path(places::sources) / "examples/cpp", "-B", build(), "-G", "Ninja",
          "-DCMAKE_PREFIX_PATH=" + prefix().string(), "-DCMAKE_CXX_COMPILER=" SEMEL_COMPILER,
          "-DCMAKE_CXX_COMPILER_LAUNCHER=" SEMEL_LAUNCHER, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"});
    must({"cmake", "--build", build(), "-j", "2"});
  }

  /// An example, in a folder of this test's own.
  Finished run(const std::string& example, const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> command{"env", "-C", folder_.path(), build() / example};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Finished done = run_to_end(std::move(command));
    EXPECT_EQ(done.errors, "");
    return done;
  }
  std::string write_history(const std::string& text) {
    const fs::path file = folder_ / "history.json";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  TempDir folder_;
};

TEST_F(Package, HasTheProgram) {
  const Finished done = run_to_end({prefix() / "bin/semel", "--version"});

  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.output, HasSubstr(SEMEL_VERSION));
}

TEST_F(Package, ItsHeadersNeedNothingButJson) {
  const fs::path file = folder_ / "all.cpp";
  std::ofstream all(file);
  for (const fs::directory_entry& header : fs::directory_iterator(prefix() / "include/semel")) {
    if (header.is_regular_file()) all << "#include <semel/" << header.path().filename().string() << ">\n";
  }
  all.close();

  const Finished done = run_to_end({SEMEL_COMPILER, "-std=c++20", "-M", "-I" + (prefix() / "include").string(), file});

  ASSERT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(done.output, AllOf(HasSubstr("semel/embed.hpp"), HasSubstr("semel/testing.hpp")));
  EXPECT_THAT(done.output, Not(ContainsRegex("/(boost|grpc|grpcpp|google|fmt|spdlog|tl|openssl)/|sqlite3|libpq")));
}

TEST_F(Package, ItsFlagsStayWithItsOwnBuild) {
  const std::string commands = text_of(build() / "compile_commands.json") + text_of(build() / "build.ninja");

  EXPECT_THAT(commands, HasSubstr("-std=gnu++20"));
  EXPECT_THAT(commands, Not(ContainsRegex("-Werror|-Wconversion|mold|-fpch|cmake_pch|unity")));
  EXPECT_THAT(commands, Not(HasSubstr((fs::path(places::sources) / "src").string())));
}

TEST_F(Package, HelloGreetsOnce) {
  const Finished first = run("hello");
  const Finished again = run("hello");

  EXPECT_EQ(first.output, "greeting Ada\nHello, Ada! Welcome.\n");
  EXPECT_EQ(again.output, "Hello, Ada! Welcome.\n");
}

/// The server of the package, as its own process.
class PackagedServer {
 public:
  PackagedServer(const fs::path& program, const fs::path& store)
      : process_({program, "server", "--listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--store",
                  "sqlite:" + store.string()}),
        ready_(process_.read_line().value_or("")) {
    EXPECT_THAT(ready_, HasSubstr("grpc=127.0.0.1:")) << process_.errors();
  }

  std::string url() const { return "http://" + said("http="); }
  /// As the examples take it.
  std::string place() const { return "server:" + said("grpc="); }

 private:
  std::string said(const std::string& name) const {
    const std::size_t begin = ready_.find(name) + name.size();
    return ready_.substr(begin, ready_.find(' ', begin) - begin);
  }

  Process process_;
  std::string ready_;
};

TEST_F(Package, HelloGreetsOnceThroughAServer) {
  const PackagedServer server(prefix() / "bin/semel", folder_ / "server.db");

  const Finished first = run("hello", {server.place()});
  const Finished again = run("hello", {server.place()});

  EXPECT_EQ(first.output, "greeting Ada\nHello, Ada! Welcome.\n");
  EXPECT_EQ(again.output, "Hello, Ada! Welcome.\n");
  const Finished known =
      run_to_end({prefix() / "bin/semel", "workflow", "get", "--workflow-id", "welcome-ada", "--url", server.url()});
  EXPECT_THAT(known.output, HasSubstr("completed")) << known.errors;
}

TEST_F(Package, AnOrderIsShippedOrTakenBack) {
  const Finished done = run("order_saga");

  EXPECT_EQ(done.output,
            "order-1: reserved book\n"
            "order-1: charged 1250 cents in attempt 1\n"
            "order-1: shipped book\n"
            "order-1 is on its way as parcel-order-1\n"
            "order-2: reserved piano\n"
            "order-2: charged 950000 cents in attempt 1\n"
            "order-2: refunded 950000 cents\n"
            "order-2: released piano\n"
            "order-2 was cancelled: too_heavy\n");
}

TEST_F(Package, AThousandTasksAreSummedUp) { EXPECT_EQ(run("fan_out").output, "1000 documents have 3997 pages\n"); }

TEST_F(Package, ApprovalWaitsForAPersonOverTheEndOfItsProcess) {
  EXPECT_THAT(run("approval", {"request", "taxi", "42"}).output, HasSubstr("May we pay 42 for taxi?"));
  EXPECT_THAT(run("approval", {"request", "boat", "9000"}).output, HasSubstr("May we pay 9000 for boat?"));

  EXPECT_EQ(run("approval", {"approve", "taxi"}).output, "paid 42 for taxi\n");
  EXPECT_EQ(run("approval", {"refuse", "boat"}).output, "boat is not paid\n");
  EXPECT_EQ(run("approval", {"refuse", "taxi"}).output, "taxi was answered before\n");
  EXPECT_EQ(run("approval", {"approve", "moon"}).output, "nobody has asked about moon: NOT_FOUND\n");
}

TEST_F(Package, AScheduledReportIsMadeOnceForItsNight) {
  const std::string report = "report of 2026-01-20T01:30:00.000Z: 500 sold, 500 left\n";

  EXPECT_EQ(run("scheduled_report").output, report);
  EXPECT_EQ(run("scheduled_report").output, report);
}

TEST_F(Package, AScheduledReportIsMadeOnceForItsNightThroughAServer) {
  const std::string report = "report of 2026-01-20T01:30:00.000Z: 500 sold, 500 left\n";
  const PackagedServer server(prefix() / "bin/semel", folder_ / "server.db");

  EXPECT_EQ(run("scheduled_report", {server.place()}).output, report);
  EXPECT_EQ(run("scheduled_report", {server.place()}).output, report);
  const Finished known =
      run_to_end({prefix() / "bin/semel", "schedule", "get", "nightly-report", "--json", "--url", server.url()});
  EXPECT_THAT(known.output, HasSubstr(R"("submitted":1)")) << known.errors;
}

/// The history of an order that was shipped.
std::string history_of_an_order() {
  testkit::WorkflowTest test("process_order", process_order);
  for (const char* task : {"reserve_stock", "charge_card"}) test.task(task, [](Order) {});
  test.task("ship", [](Order order) { return "parcel-" + order.id; });
  const Order order{"order-1", "book", 1250};
  EXPECT_EQ(test.run<std::string>(order), "parcel-order-1");
  return test.history();
}

TEST_F(Package, AProgramReplaysAHistoryThatFits) {
  const std::string file = write_history(history_of_an_order());

  const Finished done = run("order_saga_replay", {file});

  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.output, file + ": process_order test: fits\n");
}

TEST_F(Package, AProgramSaysWhatAHistoryHasAndWhatItsCodeAsksFor) {
  std::string history = history_of_an_order();
  for (std::size_t at; (at = history.find("charge_card")) != std::string::npos;) history.replace(at, 11, "charge_iban");
  const std::string file = write_history(history);

  const Finished done = run("order_saga_replay", {file});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.output,
              EndsWith("does not fit: nondeterminism: command 2: the history has task 'charge_iban', the code asks for "
                       "task 'charge_card'\n"));
}

TEST_F(Package, AProgramSaysWhatItCannotReplay) {
  std::string history = history_of_an_order();
  history.replace(history.find("process_order"), 13, "process_other");
  const std::string file = write_history(history);

  const Finished done = run("order_saga_replay", {file, "missing.json"});

  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.output, file + ": process_other test: this program has no such workflow, but process_order\n" +
                             "missing.json: it cannot be read\n");
}

}  // namespace
}  // namespace semel::test
