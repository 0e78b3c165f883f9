#include <gmock/gmock.h>

#include <future>

#include "semel/embed.hpp"
#include "semel/semel.hpp"
#include "tests/support/temp_dir.hpp"

/// Schedules that a program sets for the engine in its own process.
namespace semel {
namespace {

using namespace std::chrono_literals;

constexpr Time a_night = std::chrono::sys_days(std::chrono::January / 20 / 2026) + 1h + 30min;

class EmbeddedSchedules : public ::testing::Test {
 protected:
  std::string code_of(const std::function<void()>& ask) {
    try {
      ask();
    } catch (const RequestRefused& refused) {
      return refused.code();
    }
    return "taken";
  }

  test::TempDir folder_;
  Client client_ = embed((folder_.path() / "reports.db").string());
};

TEST_F(EmbeddedSchedules, FireByThemselves) {
  std::promise<std::string> name;
  Worker worker(client_);
  worker.task("report", [&](TaskContext& ctx) { name.set_value(ctx.labels().at("semel.schedule")); });
  worker.start();

  const Time soon = std::chrono::ceil<Duration>(std::chrono::system_clock::now()) + 100ms;
  client_.set_schedule("soon", Schedule::once(soon), "report");

  EXPECT_EQ(name.get_future().get(), "soon");
}

TEST_F(EmbeddedSchedules, GiveTheSameTaskForTheSameTime) {
  const auto every_night = Schedule::cron("30 2 * * *").time_zone("Europe/Berlin").overlap(Overlap::allow);
  client_.set_schedule("nightly", every_night, "report");

  const auto first = client_.run_schedule("nightly", a_night);
  const auto again = client_.run_schedule("nightly", a_night);
  const auto other = client_.run_schedule("nightly", a_night - 24h);

  EXPECT_EQ(first.id(), again.id());
  EXPECT_NE(first.id(), other.id());
}

TEST_F(EmbeddedSchedules, MakeTheirTasksAsTheySay) {
  const auto schedule = Schedule::cron("@daily")
                            .missed(Missed::catch_up)
                            .catch_up_max(3)
                            .overlap(Overlap::allow)
                            .queue("reports")
                            .priority(5)
                            .max_attempts(7)
                            .retry(Retry::exponential(1s).cap(1min).jitter_percent(25))
                            .timeout(30s)
                            .delay(1ms)
                            .concurrency_key("printer")
                            .label("kind", "daily");
  Worker worker(client_);
  worker.task("report", TaskOptions().queue("reports"), [](TaskContext& ctx, std::string who) {
    return who + " " + ctx.queue() + " " + ctx.labels().at("kind") + " " + ctx.labels().at("semel.nominal_time");
  });
  worker.start();

  client_.set_schedule("daily", schedule, "report", "ada");

  EXPECT_EQ(client_.run_schedule<std::string>("daily", a_night).result(), "ada reports daily 2026-01-20T01:30:00.000Z");
}

TEST_F(EmbeddedSchedules, ThatCanNeverFireAreRefused) {
  EXPECT_EQ(code_of([&] { client_.set_schedule("never", Schedule::cron("0 0 30 2 *"), "report"); }), "BAD_REQUEST");
  EXPECT_EQ(code_of([&] {
              client_.set_schedule("nowhere", Schedule::cron("@daily").time_zone("Europe/Atlantis"), "report");
            }),
            "BAD_REQUEST");
}

TEST_F(EmbeddedSchedules, AreGoneWhenTheyAreRemoved) {
  client_.set_schedule("daily", Schedule::cron("@daily"), "report");
  client_.remove_schedule("daily");

  EXPECT_EQ(code_of([&] { client_.run_schedule("daily"); }), "NOT_FOUND");
  EXPECT_EQ(code_of([&] { client_.remove_schedule("daily"); }), "NOT_FOUND");
}

}  // namespace
}  // namespace semel
