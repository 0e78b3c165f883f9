#pragma once
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "domain/schedule/time_zone.hpp"

/// Cron as its definition says, minute by minute, to be compared with what skips.
namespace semel::domain {

/// A cron expression that was drawn at random: its text, and what each field names.
struct CronModel {
  std::string text;
  std::set<int> minutes, hours, days, months, weekdays;
  bool either_day = false;

  /// By date and time alone.
  bool fits(Wall minute) const;
  bool fits_day(std::chrono::local_days day) const;
};

class CronSpeller {
 public:
  explicit CronSpeller(std::uint32_t seed) : random_(seed) {}

  /// It may be one that never fires.
  CronModel any_cron();

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  bool coin() { return pick(2) == 0; }

 private:
  struct Field {
    int min, max;
    const char* names;
    bool is_day;  // a stepped star would be ambiguous
  };

  std::string spell_field(const Field& field, std::set<int>& values, bool& restricted);
  std::string spell_element(const Field& field, std::set<int>& values);
  std::string spell_value(const Field& field, int value);

  std::mt19937 random_;
};

/// All firings in [from, until), found by looking at each minute, and at two days before for what was shown already.
std::vector<Time> firings_by_minutes(const CronModel& cron, const TimeZone& zone, Time from, Time until);

}  // namespace semel::domain
