#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"

namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What bash offers after these words; the last one is being written.
std::string completed_words(const std::vector<std::string>& words) {
  std::string script = std::string("source <(") + places::semel + " completion bash) && COMP_WORDS=(semel";
  for (const std::string& word : words) script += " '" + word + "'";
  script += ") && COMP_CWORD=" + std::to_string(words.size()) + " && _semel; echo \"${COMPREPLY[*]}\"";
  const Finished done = run_to_end({"bash", "-u", "-c", script});
  EXPECT_EQ(done.errors, "");
  return done.output.substr(0, done.output.find('\n'));
}

TEST(Completion, OffersCommandsInBash) {
  EXPECT_EQ(completed_words({"te"}), "template");
  EXPECT_EQ(completed_words({"re"}), "result retry resolve redispatch restore");
  EXPECT_EQ(completed_words({"template", ""}), "apply ls get diff validate");
  EXPECT_EQ(completed_words({"template", "va"}), "validate");
}

TEST(Completion, OffersTheOptionsOfTheCommandInBash) {
  EXPECT_EQ(completed_words({"submit", "--ha"}), "--handler");
  EXPECT_EQ(completed_words({"submit", "--handler", "template", "--on"}), "--on-duplicate --on-payload-mismatch");
  EXPECT_EQ(completed_words({"key", "create", "--perm"}), "--permissions");
  EXPECT_EQ(completed_words({"key", "ls", "--perm"}), "");
  EXPECT_EQ(completed_words({"template", "apply", "--url", "ls", "--ke"}), "--key");
}

TEST(Completion, LeavesValuesToFilesInBash) {
  EXPECT_EQ(completed_words({"backup", "--to", ""}), "");
  EXPECT_EQ(completed_words({"template", "apply", ""}), "");
}

TEST(Completion, KnowsEveryCommandInEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Finished done = run_semel({"completion", shell});

    EXPECT_EQ(done.code, 0);
    for (const char* word :
         {"submit", "explain", "validate", "revoke", "completion", "bench", "on-duplicate", "grpc-listen"})
      EXPECT_THAT(done.output, HasSubstr(word)) << shell;
    EXPECT_THAT(done.output, Not(HasSubstr("\x1b["))) << shell;
  }
}

}  // namespace
}  // namespace semel::test
