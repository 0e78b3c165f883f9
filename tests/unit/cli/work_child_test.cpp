#include "cli/work/child.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <csignal>
#include <optional>

namespace semel::cli::work {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A program under a loop of its own.
class ChildTest : public testing::Test {
 protected:
  void start(const std::vector<std::string>& command, std::string_view input = "") {
    Result<Spawned> spawned = spawn(command, std::vector<std::string>{"NAME=value", "PATH=/usr/bin:/bin"}, input);
    ASSERT_TRUE(spawned) << spawned.error().message;
    child_ = std::make_shared<Child>(loop_, *std::move(spawned),
                                     Child::Hooks{[this](Remains remains) { remains_ = std::move(remains); },
                                                  [this](std::string_view lines) { errors_.emplace_back(lines); }});
    child_->watch();
  }

  Remains run(const std::vector<std::string>& command, std::string_view input = "") {
    start(command, input);
    return finish();
  }

  Remains finish() {
    while (!remains_ && loop_.run_one() > 0) {
    }
    EXPECT_TRUE(remains_);
    return remains_.value_or(Remains{});
  }

  boost::asio::io_context loop_{1};
  std::shared_ptr<Child> child_;
  std::optional<Remains> remains_;
  std::vector<std::string> errors_;
};

TEST_F(ChildTest, ReadsItsInputToTheEndAndItsOutputIsKept) {
  const std::string long_text(700'000, 'x');

  EXPECT_EQ(run({"cat"}, long_text).output, long_text);
}

TEST_F(ChildTest, EndsWithItsExitCodeAndItsLastWords) {
  const Remains remains = run({"sh", "-c", "echo one >&2; printf two >&2; exit 7"});

  EXPECT_EQ(remains.exit_code, 7);
  EXPECT_EQ(remains.signal, 0);
  EXPECT_EQ(remains.errors, "one\ntwo");
  EXPECT_EQ(testing::PrintToString(errors_.back()), testing::PrintToString(std::string("two")));
}

/// Two connections end in one turn of the loop. What is done about the first closes the second, and starts a program,
/// whose descriptor takes the place of the second: it must not take its event for the end of the program.
TEST_F(ChildTest, IsNotOverWhenAConnectionThatWasJustClosedHadSomethingToTell) {
  using Stream = boost::asio::posix::stream_descriptor;
  std::array<std::optional<Stream>, 2> connections;
  for (std::optional<Stream>& each : connections) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ::close(ends[1]);
    each.emplace(loop_, ends[0]);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    connections[i]->async_wait(Stream::wait_read, [&, other = 1 - i](const boost::system::error_code& error) {
      if (error || child_) return;
      connections[other].reset();
      start({"sh", "-c", "read line; echo $line"}, "17\n");
    });
  }

  const Remains remains = finish();

  EXPECT_EQ(remains.signal, 0);
  EXPECT_EQ(remains.output, "17\n");
}

TEST_F(ChildTest, NeedNotReadItsInput) { EXPECT_EQ(run({"true"}, std::string(1'000'000, 'x')).exit_code, 0); }

TEST_F(ChildTest, HasTheEnvironmentThatItIsGivenAndNoOther) {
  EXPECT_THAT(run({"env"}).output, testing::AllOf(HasSubstr("NAME=value\n"), testing::Not(HasSubstr("HOME="))));
}

TEST_F(ChildTest, HasOnlyItsThreeStreamsOpen) {
  const Remains remains = run({"sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"});

  EXPECT_EQ(remains.output, "0 1 2 3 ");  // the last is the folder that ls reads
}

TEST_F(ChildTest, IsCutWhenItWritesTooMuch) {
  const Remains remains = run({"head", "-c", "3000000", "/dev/zero"});

  EXPECT_EQ(remains.exit_code, 0);
  EXPECT_TRUE(remains.output_is_cut);
  EXPECT_EQ(remains.output.size(), 1u << 20);
}

TEST_F(ChildTest, IsSignalledWithAllItHasStarted) {
  start({"sh", "-c", "cat /dev/zero >/dev/null; exit 3"});
  child_->signal(SIGKILL);

  EXPECT_EQ(finish().signal, SIGKILL);
}

TEST_F(ChildTest, DoesNotWaitForWhatItHasLeftBehind) {
  const Remains remains = run({"sh", "-c", "tail -f /dev/null & echo done"});

  EXPECT_EQ(remains.exit_code, 0);
  EXPECT_EQ(remains.output, "done\n");
}

TEST(Spawn, SaysWhyAProgramCannotBeStarted) {
  const auto refusal = [](const std::string& program) {
    const Result<Spawned> spawned = spawn(std::vector<std::string>{program}, {}, "");
    return spawned ? std::string() : spawned.error().message;
  };

  EXPECT_THAT(refusal("./no-such-program"), StartsWith("cannot run ./no-such-program: No such file or directory"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("Permission denied; may it be run? (chmod +x)"));
}

TEST(CheckProgram, FindsWhatWouldBeStarted) {
  EXPECT_TRUE(check_program("sh"));
  EXPECT_TRUE(check_program("/bin/sh"));
  for (const char* odd : {"no-such-program", "", "./no-such-program", "/", "/dev/null"})
    EXPECT_FALSE(check_program(odd)) << odd;
  EXPECT_THAT(check_program("handler.sh").error().message, HasSubstr("./handler.sh"));
}

}  // namespace
}  // namespace semel::cli::work
