#pragma once
#include <future>

#include "tests/sdk/client_suite_fixture.hpp"

/// The part of the suite that is about schedules.
namespace semel::suite {

inline constexpr Time a_night = std::chrono::sys_days(std::chrono::January / 20 / 2026) + 1h + 30min;

/// Later than the calls of a test take that say it.
inline Time soon() { return std::chrono::ceil<Duration>(std::chrono::system_clock::now()) + 500ms; }

TYPED_TEST_P(ClientSuite, SchedulesFireByThemselves) {
  Client client = this->client();
  std::promise<std::string> name;
  Worker worker(client);
  worker.task("report", [&](TaskContext& ctx) { name.set_value(ctx.labels().at("semel.schedule")); });
  worker.start();

  client.set_schedule("soon", Schedule::once(soon()), "report");

  EXPECT_EQ(name.get_future().get(), "soon");
}

TYPED_TEST_P(ClientSuite, SchedulesGiveTheSameTaskForTheSameTime) {
  Client client = this->client();
  const auto every_night = Schedule::cron("30 2 * * *").time_zone("Europe/Berlin").overlap(Overlap::allow);
  client.set_schedule("nightly", every_night, "report");

  const auto first = client.run_schedule("nightly", a_night);
  const auto again = client.run_schedule("nightly", a_night);
  const auto other = client.run_schedule("nightly", a_night - 24h);

  EXPECT_EQ(first.id(), again.id());
  EXPECT_NE(first.id(), other.id());
}

TYPED_TEST_P(ClientSuite, SchedulesMakeTheirTasksAsTheySay) {
  Client client = this->client();
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
  Worker worker(client);
  worker.task("report", TaskOptions().queue("reports"), [](TaskContext& ctx, std::string who) {
    return who + " " + ctx.queue() + " " + ctx.labels().at("kind") + " " + ctx.labels().at("semel.nominal_time");
  });
  worker.start();

  client.set_schedule("daily", schedule, "report", "ada");

  EXPECT_EQ(client.run_schedule<std::string>("daily", a_night).result(), "ada reports daily 2026-01-20T01:30:00.000Z");
}

TYPED_TEST_P(ClientSuite, SchedulesThatCanNeverFireAreRefused) {
  Client client = this->client();
  const auto nowhere = Schedule::cron("@daily").time_zone("Europe/Atlantis");

  EXPECT_EQ(refusal([&] { client.set_schedule("never", Schedule::cron("0 0 30 2 *"), "report"); }), "BAD_REQUEST");
  EXPECT_EQ(refusal([&] { client.set_schedule("nowhere", nowhere, "report"); }), "BAD_REQUEST");
}

TYPED_TEST_P(ClientSuite, SchedulesAreGoneWhenTheyAreRemoved) {
  Client client = this->client();
  client.set_schedule("daily", Schedule::cron("@daily"), "report");
  client.remove_schedule("daily");

  EXPECT_EQ(refusal([&] { client.run_schedule("daily"); }), "NOT_FOUND");
  EXPECT_EQ(refusal([&] { client.remove_schedule("daily"); }), "NOT_FOUND");
  EXPECT_EQ(refusal([&] { client.pause_schedule("daily"); }), "NOT_FOUND");
}

TYPED_TEST_P(ClientSuite, APausedScheduleFiresWhenItGoesOn) {
  Client client = this->client();
  std::array<std::promise<std::string>, 2> fired;
  std::atomic<std::size_t> count = 0;
  Worker worker(client, WorkerOptions().concurrency(1));
  worker.task("report", [&](TaskContext& ctx) { fired.at(count++).set_value(ctx.labels().at("semel.schedule")); });
  worker.start();
  client.set_schedule("paused", Schedule::cron("@yearly"), "report");
  client.pause_schedule("paused");
  const Time time = soon();

  client.set_schedule("paused", Schedule::once(time), "report");  // which leaves it paused
  client.set_schedule("other", Schedule::once(time), "report");

  EXPECT_EQ(fired[0].get_future().get(), "other");
  client.resume_schedule("paused");
  EXPECT_EQ(fired[1].get_future().get(), "paused") << "what was missed is made up for";
}

TYPED_TEST_P(ClientSuite, AScheduleWhoseLastTaskIsOpenMakesNoOther) {
  Client client = this->client();
  client.set_schedule("nightly", Schedule::cron("30 2 * * *").overlap(Overlap::skip), "report");
  const auto open = client.run_schedule("nightly", a_night);

  EXPECT_EQ(client.run_schedule("nightly", a_night).id(), open.id()) << "that is the open one itself";
  EXPECT_EQ(refusal([&] { client.run_schedule("nightly", a_night + 24h); }), "BAD_REQUEST");
}

}  // namespace semel::suite
