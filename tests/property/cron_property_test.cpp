#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "domain/schedule/cron.hpp"
#include "domain/schedule/firing.hpp"
#include "domain/schedule/zone_database.hpp"
#include "tests/property/cron_model.hpp"

namespace semel::domain {
namespace {

constexpr int crons_a_seed = 5;

Time start_of_year(int year) { return Time{std::chrono::sys_days{std::chrono::year{year} / 1 / 1}}; }

/// Half of the times are near a change of the clocks.
Time any_minute(CronSpeller& speller, const TimeZone& zone) {
  const Time anywhere = start_of_year(1975) + speller.pick(366 * 75) * 24h + speller.pick(24 * 60) * 1min;
  const ZonePeriod period = zone.period_at(anywhere);
  if (speller.coin() || period.end == zone_end) return anywhere;
  return std::chrono::floor<std::chrono::minutes>(period.end) - speller.pick(36 * 60) * 1min;
}

TimeZone any_zone(CronSpeller& speller) {
  static const std::vector<std::string> names = time_zone_names().value();
  static const std::vector<std::string> lively{"Europe/Berlin",     "America/New_York",  "Australia/Lord_Howe",
                                               "Pacific/Apia",      "Africa/Casablanca", "Europe/Dublin",
                                               "Africa/Cairo",      "America/Nuuk",      "Asia/Gaza",
                                               "America/Sao_Paulo", "Antarctica/Troll",  "UTC"};
  const std::vector<std::string>& from = speller.coin() ? names : lively;
  return TimeZone::find(from[static_cast<std::size_t>(speller.pick(static_cast<int>(from.size())))]).value();
}

/// A cron expression that fires, as a model and as the real one.
std::pair<CronModel, Cron> any_firing_cron(CronSpeller& speller) {
  while (true) {
    CronModel model = speller.any_cron();
    const Result<Cron> cron = Cron::parse(model.text);
    if (cron) return {std::move(model), *cron};
    if (cron.error().message.find("can never fire") == std::string::npos) RC_FAIL(cron.error().message);
    RC_ASSERT(!model.either_day);
  }
}

RC_GTEST_PROP(CronProperty, FiresAtTheSameMinutesAsAWalkOverAllMinutes, (std::uint32_t seed)) {
  CronSpeller speller(seed);
  for (int i = 0; i < crons_a_seed; ++i) {
    const auto [model, cron] = any_firing_cron(speller);
    const TimeZone zone = any_zone(speller);
    const Time from = any_minute(speller, zone);
    const Time until = from + 48h;
    const std::vector<Time> expected = firings_by_minutes(model, zone, from, until);
    RC_LOG() << model.text << " in " << zone.name() << " from " << to_rfc3339(from) << std::endl;

    std::vector<Time> forward;
    for (auto at = cron.next_after(zone, from - 1ms); at && *at < until; at = cron.next_after(zone, *at)) {
      forward.push_back(*at);
    }
    std::vector<Time> backward;
    for (auto at = cron.last_until(zone, until - 1ms); at && *at >= from; at = cron.last_until(zone, *at - 1ms)) {
      backward.insert(backward.begin(), *at);
    }

    RC_ASSERT(forward == expected);
    RC_ASSERT(backward == expected);
  }
}

RC_GTEST_PROP(CronProperty, FindsTheSameDayAsAWalkOverAllDays, (std::uint32_t seed)) {
  CronSpeller speller(seed);
  for (int i = 0; i < crons_a_seed; ++i) {
    const auto [model, cron] = any_firing_cron(speller);
    const Time after = any_minute(speller, TimeZone::utc());
    RC_LOG() << model.text << " after " << to_rfc3339(after) << std::endl;

    auto day = std::chrono::floor<std::chrono::days>(to_wall(after, 0s)) + std::chrono::days{1};
    const std::optional<Time> next = cron.next_after(TimeZone::utc(), to_time(day, 0s) - 1ms);
    for (int tried = 0; !model.fits_day(day); ++tried, day += std::chrono::days{1}) RC_ASSERT(tried < 8 * 366);

    RC_ASSERT(next.has_value());
    RC_ASSERT(std::chrono::floor<std::chrono::days>(to_wall(*next, 0s)) == day);
    RC_ASSERT(cron.last_until(TimeZone::utc(), *next) == next);
  }
}

RC_GTEST_PROP(CronProperty, APolicyPicksTheLatestOfAllThatWereMissed, (std::uint32_t seed)) {
  CronSpeller speller(seed);
  const auto [model, cron] = any_firing_cron(speller);
  Schedule schedule{.name = "any", .timing = Recurring{cron, any_zone(speller)}};
  schedule.missed = static_cast<Missed>(speller.pick(3));
  schedule.catch_up_max = 1 + speller.pick(50);
  const TimeZone zone = std::get<Recurring>(schedule.timing).zone;
  const Time last = any_minute(speller, zone);
  const Time now = last + speller.pick(36 * 3'600) * 1s;
  RC_LOG() << model.text << " in " << zone.name() << " from " << to_rfc3339(last) << " to " << to_rfc3339(now)
           << std::endl;

  std::vector<Time> expected = firings_by_minutes(model, zone, last + 1min, now + 1ms);
  const std::size_t missed = expected.size();
  const std::size_t max = schedule.missed == Missed::catch_up ? static_cast<std::size_t>(schedule.catch_up_max) : 1;
  const Firings found = due(schedule, last, now);

  RC_ASSERT(found.handled == (expected.empty() ? last : expected.back()));
  if (expected.size() > max) expected.erase(expected.begin(), expected.end() - static_cast<std::ptrdiff_t>(max));
  if (schedule.missed == Missed::skip && !expected.empty() && now - expected.back() > 60s) expected.clear();
  RC_ASSERT(found.due == expected);
  RC_ASSERT(found.dropped == (expected.size() < missed));
  RC_ASSERT(found.next == cron.next_after(zone, now));
}

/// However the calls fall in time, and wherever a restart repeats one: each nominal time is fired once.
RC_GTEST_PROP(CronProperty, NoFiringIsLostOrRepeatedOverManyCalls, (std::uint32_t seed)) {
  CronSpeller speller(seed);
  const auto [model, cron] = any_firing_cron(speller);
  Schedule schedule{.name = "any", .timing = Recurring{cron, any_zone(speller)}};
  schedule.missed = Missed::catch_up;
  schedule.catch_up_max = limits::catch_up_max;
  const TimeZone zone = std::get<Recurring>(schedule.timing).zone;
  const Time begin = any_minute(speller, zone);

  std::vector<Time> fired;
  Time last = begin;
  Time now = begin;
  while (now < begin + 24h) {
    now += speller.pick(4) == 0 ? -speller.pick(1'800) * 1s : speller.pick(3'600) * 1s;
    const Firings found = due(schedule, last, now);
    fired.insert(fired.end(), found.due.begin(), found.due.end());
    RC_ASSERT(found.handled >= last);
    last = found.handled;
  }

  RC_ASSERT(fired == firings_by_minutes(model, zone, begin + 1min, now + 1ms));
}

}  // namespace
}  // namespace semel::domain
