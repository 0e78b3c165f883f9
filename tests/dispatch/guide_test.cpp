// The receiver in docs/guide/dispatch-targets.md does what the page says.
#include <fstream>
#include <sstream>

#include "tests/dispatch/dispatch_fixture.hpp"
#include "tests/support/process.hpp"

namespace semel::dispatch {
namespace {

/// The first block of Python on the page.
std::string receiver_of_the_guide() {
  std::ifstream file(std::string(SEMEL_SOURCE_DIR) + "/docs/guide/dispatch-targets.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const std::string begin = "```python\n";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find("```", at) - at);
}

class GuideTest : public testing::Test {
 protected:
  SendAnswer send(const DispatchOrder& order, const std::string& secret, Duration late = 0ms) {
    Options options = test_options();
    options.now = [late] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()) - late; };
    options.signing_secrets = {{"default", {secret}}};
    return send_and_wait(*make_targets(std::move(options)).value(), order);
  }

  test::Process receiver_{{"python3", "-c", receiver_of_the_guide(), test_secret}};
  const std::string url_ = "http://127.0.0.1:" + receiver_.read_line().value_or("1") + "/";
  test::Ids ids_;
};

TEST_F(GuideTest, TheReceiverDoesSignedTasksOnce) {
  const DispatchOrder first = order_for(url_, ids_);
  const DispatchOrder second = order_for(url_, ids_);

  EXPECT_EQ(expect_kind<SendCompleted>(send(first, test_secret)).result, R"({"charged": 12.5, "number": 1})");
  EXPECT_EQ(expect_kind<SendCompleted>(send(second, test_secret)).result, R"({"charged": 12.5, "number": 2})");
  EXPECT_EQ(expect_kind<SendCompleted>(send(first, test_secret)).result, R"({"charged": 12.5, "number": 1})");
}

TEST_F(GuideTest, TheReceiverRefusesWhatOthersSigned) {
  const std::string other = "whsec_" + std::string(32, 'B');

  EXPECT_EQ(expect_kind<SendRefused>(send(order_for(url_, ids_), other)).status, 401);
}

TEST_F(GuideTest, TheReceiverRefusesWhatIsOld) {
  EXPECT_EQ(expect_kind<SendRefused>(send(order_for(url_, ids_), test_secret, 10min)).status, 401);
}

}  // namespace
}  // namespace semel::dispatch
