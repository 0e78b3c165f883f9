// The receiver in docs/guide/dispatch-targets.md does what the page says.
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "dispatch/push_request.hpp"
#include "tests/dispatch/dispatch_fixture.hpp"
#include "tests/support/json.hpp"
#include "tests/support/places.hpp"
#include "tests/support/process.hpp"

namespace semel::dispatch {
namespace {

std::string read_source(const std::string& name) {
  std::ifstream file(std::string(semel::test::places::sources) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The first block in that language on the page.
std::string block_of_the_guide(const std::string& language) {
  const std::string text = read_source("docs/guide/dispatch-targets.md");
  const std::string begin = "```" + language + "\n";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find("```", at) - at);
}

/// All members of an object, and of those in it.
std::set<std::string> members_of(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) {
    names.insert(name);
    if (name == "callbacks") names.merge(members_of(value));
  }
  return names;
}

/// Both names of a dispatch, wherever they stand beside each other.
void collect_names(const nlohmann::json& value, std::vector<std::pair<std::string, std::string>>& names) {
  if (value.is_object() && value.contains("dispatch_id") && value["dispatch_id"].is_string())
    names.emplace_back(value["dispatch_id"], value.value("external_id", ""));
  if (!value.is_structured()) return;
  for (const nlohmann::json& each : value) collect_names(each, names);
}

class GuideTest : public testing::Test {
 protected:
  SendAnswer send(const DispatchOrder& order, const std::string& secret, Duration late = 0ms) {
    Options options = test_options();
    options.now = [late] { return std::chrono::floor<Duration>(std::chrono::system_clock::now()) - late; };
    options.signing_secrets = {{"default", {secret}}};
    return send_and_wait(*make_targets(std::move(options)).value(), order);
  }

  test::Process receiver_{{"python3", "-c", block_of_the_guide("python"), test_secret}};
  const std::string url_ = "http://127.0.0.1:" + receiver_.read_line().value_or("1") + "/";
  test::Ids ids_;
};

TEST(GuideEnvelope, HasTheMembersThatAnEndpointGets) {
  test::Ids ids;
  DispatchOrder order = order_for("https://mailer.example/", ids);
  order.lease.execution.spec.key = "order-7";

  const std::string body = push_request(order, Signer::make({}).value(), test::ManualClock::start).body;

  EXPECT_EQ(members_of(nlohmann::json::parse(block_of_the_guide("json"))), members_of(nlohmann::json::parse(body)));
}

TEST(DocumentedDispatches, HaveNamesThatBelongTogether) {
  std::vector<std::pair<std::string, std::string>> names;
  collect_names(nlohmann::json::parse(block_of_the_guide("json")), names);
  collect_names(nlohmann::json::parse(read_source("src/api/http/openapi.json")), names);

  EXPECT_GE(names.size(), 4u);
  for (const auto& [internal, external] : names) EXPECT_EQ(domain::external_id("d_", internal), external) << internal;
}

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
