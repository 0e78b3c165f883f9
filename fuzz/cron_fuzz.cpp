// Reads the input as a cron expression, and what follows its first line end as the name of a zone. What is accepted
// must fire within eight years and two days, wherever it is asked, and going back must find what going forward found.
#include <cstdint>
#include <string_view>

#include "base/ensure.hpp"
#include "domain/schedule/cron.hpp"

namespace {

using semel::Duration;
using semel::ensure;
using semel::Time;
using semel::domain::Cron;
using semel::domain::TimeZone;
using namespace std::chrono_literals;

constexpr Duration gap_max = (8 * 366 + 2) * 24h;

Time start_of(int year) { return Time{std::chrono::sys_days{std::chrono::year{year} / 1 / 1}}; }

void check_firings(const Cron& cron, const TimeZone& zone, Time after) {
  for (int i = 0; i < 5; ++i) {
    const auto next = cron.next_after(zone, after);
    ensure(next && *next > after && *next - after <= gap_max);
    ensure(cron.last_until(zone, *next) == next);
    const auto before = cron.last_until(zone, *next - 1ms);
    ensure(!before || *before <= after);
    after = *next;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = text.find('\n');
  const auto cron = Cron::parse(text.substr(0, line_end));
  const auto named = TimeZone::find(line_end == std::string_view::npos ? "UTC" : text.substr(line_end + 1));
  ensure(cron || !cron.error().message.empty());
  ensure(named || !named.error().message.empty());
  if (!cron) return 0;

  const auto again = Cron::parse(cron->text());
  ensure(again && *again == *cron);
  const TimeZone zone = named ? *named : TimeZone::utc();
  for (const Time after :
       {start_of(1970), start_of(2011) + 362 * 24h, start_of(2026), start_of(2096), start_of(2400)}) {
    check_firings(*cron, zone, after);
  }
  return 0;
}
