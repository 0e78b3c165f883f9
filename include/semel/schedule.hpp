#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "semel/detail/task_settings.hpp"

namespace semel {

/// What happens to times that came while no engine ran.
enum class Missed : std::uint8_t {
  skip,      // nothing
  once,      // the latest of them fires
  catch_up,  // the latest `catch_up_max` of them fire, in their order
};

/// What happens when the task of the time before is still open.
enum class Overlap : std::uint8_t { skip, allow, cancel_previous };

/// When tasks are made by themselves, and how they are to be done. Each time fires once, however many engines share the
/// store, and whatever dies meanwhile.
///
///   client.set_schedule("nightly", semel::Schedule::cron("30 2 * * *").time_zone("Europe/Berlin"), "report", input);
class Schedule : public detail::TaskSetters<Schedule> {
 public:
  /// Again and again: minute, hour, day of month, month, day of week; or "@daily" and the like.
  static Schedule cron(std::string expression) {
    Schedule schedule;
    schedule.cron_ = std::move(expression);
    return schedule;
  }
  /// One time.
  static Schedule once(Time at) {
    Schedule schedule;
    schedule.at_ = at;
    return schedule;
  }

  /// Of a cron; UTC unless said otherwise.
  Schedule& time_zone(std::string name) { return set(time_zone_, std::move(name)); }
  Schedule& missed(Missed what) { return set(missed_, what); }
  /// With Missed::catch_up; 10 unless said otherwise.
  Schedule& catch_up_max(int count) { return set(catch_up_max_, count); }
  Schedule& overlap(Overlap what) { return set(overlap_, what); }

  const std::string& cron() const { return cron_; }
  std::optional<Time> at() const { return at_; }
  const std::string& time_zone() const { return time_zone_; }
  Missed missed() const { return missed_; }
  std::optional<int> catch_up_max() const { return catch_up_max_; }
  Overlap overlap() const { return overlap_; }

 private:
  Schedule() = default;

  std::string cron_;  // or at_
  std::optional<Time> at_;
  std::string time_zone_;
  Missed missed_ = Missed::once;
  std::optional<int> catch_up_max_;
  Overlap overlap_ = Overlap::skip;
};

static_assert(!std::is_aggregate_v<Schedule>);

}  // namespace semel
