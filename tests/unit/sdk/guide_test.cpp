// All the code of docs/guide/cpp.md stands here, compiled and run; the last test looks that nothing of the page is
// missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "semel/connect.hpp"
#include "semel/embed.hpp"
#include "semel/replayer.hpp"
#include "semel/semel.hpp"
#include "semel/testing.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/sdk/server.hpp"

namespace {

using namespace std::chrono_literals;

/// Where clients come from. Nobody calls it: the tests here take theirs from memory.
[[maybe_unused]] inline std::pair<semel::Client, semel::Client> clients(const std::string& key) {
  semel::Client client = semel::connect("localhost:7421", semel::ConnectOptions().api_key(key));
  semel::Client local = semel::embed("orders.db");
  return {client, local};
}

struct Purchase {
  std::string id;
  int cents = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Purchase, id, cents)

struct Bank {
  std::string charge(int cents, const std::string& key) { return key.substr(36) + "-" + std::to_string(cents); }
} bank;

std::string charge_card(semel::TaskContext& ctx, Purchase purchase) {
  if (purchase.cents <= 0) throw semel::Failure("bad_amount", "nothing to charge").not_retryable();
  return bank.charge(purchase.cents, ctx.idempotency_key("charge"));
}

semel::Workflow<std::string> sell(semel::WorkflowContext& ctx, Purchase purchase) {
  auto receipt = co_await ctx.task<std::string>("charge_card", purchase,
                                                semel::StepOptions().idempotency_key("payment-" + purchase.id));
  co_await ctx.sleep(24h);
  auto approval =
      co_await ctx.promise<bool>("approve-" + purchase.id, semel::PromiseOptions().timeout(7 * 24h)).settled();
  if (approval && approval.value()) co_return co_await ctx.task<std::string>("ship", purchase);
  co_await ctx.task<void>("refund", receipt);
  co_return "refunded";
}

semel::Workflow<int> weigh_all(semel::WorkflowContext& ctx, std::vector<std::string> parcels) {
  std::vector<semel::Pending<int>> tasks;
  for (const std::string& parcel : parcels) tasks.push_back(ctx.task<int>("weigh", parcel));
  int total = 0;
  for (int weight : co_await semel::all(std::move(tasks))) total += weight;
  co_return total;
}

semel::Workflow<std::string> ask(semel::WorkflowContext& ctx, std::string question) {
  auto answer = ctx.task<std::string>("ask_expert", question);
  auto patience = ctx.timer(1h);
  auto first = co_await semel::race(std::move(answer), std::move(patience));
  if (first.index() == 0) co_return std::get<0>(first);
  co_return "nobody knows";
}

semel::Workflow<> follow(semel::WorkflowContext& ctx, int seen) {
  for (int i = 0; i < 1000; ++i) {
    auto news = co_await ctx.signal<std::string>("news");
    if (news == "stop") co_return;
    ++seen;
    ctx.set_status(seen);
  }
  ctx.continue_as_new(seen);
}

semel::Workflow<int> changed(semel::WorkflowContext& ctx) {
  if (ctx.version("fees", 1, 2) == 2) co_await ctx.task<void>("take_fee");
  int drawn = ctx.run("draw", [] { return std::rand() % 6; });
  co_return drawn;
}

TEST(Guide, AWorkerAndAClient) {
  semel::sdk::TestServer server;
  semel::Client client = server.client;

  semel::Worker worker(client);
  worker.task("charge_card", semel::TaskOptions().queue("payments").concurrency(4), charge_card);
  worker.workflow("sell", sell);
  worker.start();

  Purchase purchase{"p-7", 1250};
  auto handle = client.submit<std::string>("charge_card", purchase,
                                           semel::SubmitOptions().queue("payments").idempotency_key("payment-p-7"));
  std::string receipt = handle.result();

  EXPECT_EQ(receipt, ":charge-1250");
  EXPECT_EQ(client.start_workflow("sell", "sale-p-7", purchase).cancel(true), semel::Status::cancelled);
}

TEST(Sell, ShipsWhenSomebodyApproves) {
  semel::testkit::WorkflowTest test("sell", sell);
  test.task("charge_card", [](Purchase purchase) { return "receipt-" + purchase.id; });
  test.task("ship", [](Purchase purchase) { return "parcel-" + purchase.id; });
  test.at(48h, [](semel::Client& outside) { outside.resolve_promise("approve-p-7", true); });
  Purchase purchase{"p-7", 1250};

  EXPECT_EQ(test.run<std::string>(purchase), "parcel-p-7");
  EXPECT_EQ(test.elapsed(), 48h);
  EXPECT_GT(test.check_crashes(purchase), 0u);
  EXPECT_TRUE(semel::testkit::replay(sell, test.history()).fits());
}

TEST(Guide, ManyTasksAtOnce) {
  semel::testkit::WorkflowTest test("weigh_all", weigh_all);
  test.task("weigh", [](std::string parcel) { return static_cast<int>(parcel.size()); });

  EXPECT_EQ(test.run<int>(std::vector<std::string>{"a", "bb", "ccc"}), 6);
}

TEST(Guide, AnAnswerOrPatience) {
  semel::testkit::WorkflowTest test("ask", ask);
  test.task("ask_expert", [](semel::TaskContext& ctx) -> std::string {
    if (ctx.attempt() == 1) throw semel::Failure("busy", "tomorrow").retry_after(24h);
    return "42";
  });

  EXPECT_EQ(test.run<std::string>("why?"), "nobody knows");
}

TEST(Guide, AWorkflowThatNeverEnds) {
  semel::testkit::WorkflowTest test("follow", follow);
  for (int i = 0; i < 1001; ++i) {
    test.at(1s, [](semel::Client& outside) { outside.signal_workflow("test", "news", "more"); });
  }
  test.at(1h, [](semel::Client& outside) { outside.signal_workflow("test", "news", "stop"); });
  test.run(0);

  EXPECT_EQ(test.status(), 1001);
}

TEST(Guide, AWorkflowSaysHowFarItIs) {
  semel::sdk::TestServer server;
  semel::Client client = server.client;
  semel::Worker worker(client);
  worker.workflow("follow", follow);
  worker.start();
  const auto handle = client.start_workflow<void>("follow", "news-of-may", 0);
  for (const char* news : {"more", "stop"}) handle.signal("news", news);
  handle.result();

  auto seen = handle.custom_status<int>();               // nothing as long as it has said nothing
  auto same = client.custom_status<int>("news-of-may");  // by its workflow_id

  EXPECT_EQ(seen, 1);
  EXPECT_EQ(same, 1);
}

TEST(Guide, VersionsAndSideEffects) {
  semel::testkit::WorkflowTest test("changed", changed);
  test.task("take_fee", [] {});

  EXPECT_LT(test.run<int>(0), 6);
}

void set_nightly(semel::Client& client) {
  client.set_schedule("nightly", semel::Schedule::cron("30 2 * * *").time_zone("Europe/Berlin"), "report");
  auto tonight = client.run_schedule("nightly");  // once more, now
  client.pause_schedule("nightly");
}

TEST(Guide, SchedulesAreRefusedWhereThereAreNone) {
  semel::testkit::WorkflowTest test("changed", changed);
  test.task("take_fee", [] {});
  std::string code;
  test.at(0s, [&](semel::Client& outside) {
    try {
      set_nightly(outside);
    } catch (const semel::RequestRefused& refused) {
      code = refused.code();
    }
  });
  test.run<int>(0);

  EXPECT_EQ(code, "NOT_SUPPORTED_YET");
}

int replay_sales(int argc, const char* const* argv) {
  return semel::testkit::Replayer().workflow("sell", sell).run(argc, argv);  // all that its main() does
}

TEST(Guide, AProgramReplaysHistories) {
  semel::testkit::WorkflowTest test("sell", sell);
  test.task("charge_card", [](Purchase) { return "receipt"; });
  test.task("refund", [](std::string) {});
  Purchase purchase{"p-7", 1250};
  EXPECT_EQ(test.run<std::string>(purchase), "refunded") << "nobody approves";
  const semel::test::TempDir folder;
  const std::string file = folder / "history.json";
  std::ofstream(file) << test.history();

  const char* arguments[] = {"replay_sales", file.c_str()};
  EXPECT_EQ(replay_sales(2, arguments), semel::testkit::Replayer::all_fit);
  EXPECT_EQ(replay_sales(1, arguments), semel::testkit::Replayer::some_not_replayed) << "without a file";
}

// ---- the page

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> trimmed_lines(const std::string& path) {
  std::ifstream file(std::string(semel::test::places::sources) + "/" + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(trimmed(line));
  return lines;
}

TEST(Guide, AllCodeOfThePageIsInThisFile) {
  const std::vector<std::string> page = trimmed_lines("docs/guide/cpp.md");
  const std::vector<std::string> file = trimmed_lines("tests/unit/sdk/guide_test.cpp");
  int blocks = 0;

  for (auto begin = std::find(page.begin(), page.end(), "```cpp"); begin != page.end();
       begin = std::find(begin, page.end(), "```cpp")) {
    const auto end = std::find(++begin, page.end(), "```");
    ++blocks;
    EXPECT_NE(std::search(file.begin(), file.end(), begin, end), file.end()) << "the block that begins with " << *begin;
    begin = end;
  }

  EXPECT_GE(blocks, 6);
}

}  // namespace
