#include <gmock/gmock.h>

#include "tests/e2e/work.hpp"
#include "tests/support/places.hpp"

/// The templates and handlers in `examples`, as a reader would use them.
namespace semel::test {
namespace {

using testing::HasSubstr;

class Examples : public WorkTest {
 protected:
  void SetUp() override {
    const Finished applied = semel({"template", "apply", (examples() / "templates").string()});
    ASSERT_EQ(applied.code, 0) << applied.errors;
  }
  static std::filesystem::path examples() { return std::filesystem::path(places::sources) / "examples"; }

  std::string submit_named(const std::string& space, const std::string& name, const Json& context,
                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{name, "--namespace", space, "--context", context.dump()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return submit(arguments);
  }
  /// All that is ready, and what becomes ready by that.
  void work_all() {
    std::vector<std::string> options{"--envelope", "--exit-when-empty", "--concurrency", "4"};
    for (const char* queue : {"payments", "orders", "notifications", "reports"})
      options.insert(options.end(), {"--queue", queue});
    const Finished done = work_off({(examples() / "handlers.sh").string()}, options);
    EXPECT_EQ(done.code, 0) << done.errors;
  }
  Json step_of(const std::string& run, const std::string& name) {
    const Json view = task(run);
    for (const Json& step : view["steps"]) {
      if (step["name"] == name) return step;
    }
    return Json();
  }
};

TEST_F(Examples, APaymentIsChargedOnceAndBooked) {
  const Json payment{{"payment_id", "PAY-12345"}, {"amount", 100.00}, {"currency", "USD"}};
  const std::string run = submit_named("payments", "process_payment", payment);
  const Finished again = semel({"submit", "process_payment", "--namespace", "payments", "--context", payment.dump()});
  const Finished odd = semel({"submit", "process_payment", "--namespace", "payments", "--context", R"({"amount": 1})"});

  work_all();

  EXPECT_EQ(again.code, 3) << again.output;
  EXPECT_EQ(odd.code, 1);
  EXPECT_THAT(odd.errors, HasSubstr("payment_id"));
  const Json view = task(run);
  EXPECT_EQ(view["status"], "completed") << view;
  EXPECT_EQ(view["step_count"], 4);
  EXPECT_EQ(view["result"]["charge_card"]["receipt"], "r-PAY-12345");
  EXPECT_EQ(view["result"]["charge_card"]["effect_key"], step_of(run, "charge_card")["task_uuid"]);
  EXPECT_EQ(view["result"]["book_payment"], (Json{{"booked", "r-PAY-12345"}}));
  EXPECT_EQ(view["result"]["send_receipt"], (Json{{"sent", "r-PAY-12345"}}));
}

TEST_F(Examples, AnOrderIsPickedItemByItemAndWrappedIfItIsAGift) {
  const Json items{{{"sku", "A-1"}}, {{"sku", "B-7"}}, {{"sku", "C-3"}}};
  const std::string gift =
      submit_named("orders", "fulfill_order", {{"order_id", "ORD-1"}, {"items", items}, {"gift", true}},
                   {"--idempotency-key", "ORD-1"});
  const std::string plain = submit_named("orders", "fulfill_order", {{"order_id", "ORD-2"}, {"items", items}},
                                         {"--idempotency-key", "ORD-2"});
  const Finished keyless = semel({"submit", "fulfill_order", "--namespace", "orders", "--context",
                                  Json{{"order_id", "ORD-3"}, {"items", items}}.dump()});

  work_all();

  EXPECT_EQ(keyless.code, 1);
  EXPECT_THAT(keyless.errors, HasSubstr("idempotency_key is required"));
  EXPECT_EQ(task(gift)["result"]["ship"], (Json{{"parcel", {"A-1", "B-7", "C-3"}}, {"wrapped", true}})) << task(gift);
  EXPECT_EQ(task(plain)["result"]["ship"], (Json{{"parcel", {"A-1", "B-7", "C-3"}}, {"wrapped", false}}));
  EXPECT_EQ(step_of(plain, "wrap")["status"], "skipped");
  EXPECT_EQ(step_of(plain, "pick")["items"], (Json{{"total", 3}, {"completed", 3}}));
}

TEST_F(Examples, AMailIsSentToThoseWhoWantIt) {
  const std::string sent = submit_named("notifications", "send_email", {{"user_id", 123}, {"template", "welcome"}});
  const std::string again = submit_named("notifications", "send_email", {{"user_id", 123}, {"template", "welcome"}});
  const std::string unwanted = submit_named("notifications", "send_email", {{"user_id", 0}, {"template", "welcome"}});

  work_all();

  EXPECT_NE(sent, again);
  EXPECT_EQ(task(sent)["result"]["send"], (Json{{"sent_to", 123}, {"template", "welcome"}})) << task(sent);
  EXPECT_EQ(task(again)["status"], "completed");
  EXPECT_EQ(step_of(unwanted, "send")["status"], "skipped");
  EXPECT_EQ(task(unwanted)["status"], "completed");
}

TEST_F(Examples, AReportIsMadeOfTheSectionsThatCouldBeHad) {
  const std::string run = submit_named("reports", "generate_report", {{"customer_id", 12345}});

  work_all();

  const Json view = task(run);
  EXPECT_EQ(view["result"]["write_report"], (Json{{"sections", {"sales", "stock"}}})) << view;
  EXPECT_EQ(view["status"], "completed");
  EXPECT_EQ(step_of(run, "collect")["items"], (Json{{"total", 3}, {"completed", 2}, {"failed", 1}}));
}

}  // namespace
}  // namespace semel::test
