#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace semel::domain {

/// The fields of a cron expression, in their order.
enum class CronField : std::uint8_t { minute, hour, day_of_month, month, day_of_week };
inline constexpr std::size_t cron_field_count = 5;

/// "day of month"
std::string_view name_of(CronField field);

/// What a field names.
struct CronValues {
  enum class Form : std::uint8_t {
    every,    // "*": no restriction
    stepped,  // "*/2", also in a list: some of all
    listed,   // anything without a star
  };

  std::uint64_t bits = 0;  // bit n stands for the value n; Sunday is 0
  Form form = Form::every;

  bool operator==(const CronValues&) const = default;
};

/// One field: a list of elements, parted by commas.
///
///     *        every value                             10-40/10   10, 20, 30, 40
///     7        one                                     */15       of all, every fifteenth: 0, 15, 30, 45
///     10-40    from 10 to 40                           7/3        from 7 to the end, every third
///
/// Months and days of the week have names too (JAN, MON; upper or lower case), Sunday is 0 and 7. Their ranges may go
/// round the end, as FRI-MON and NOV-FEB; others may not, because "22-2" on a Friday would mean the hours 0 to 2 of the
/// same Friday. A step that would leave one value only is refused, as */60.
///
/// A refusal names the field and the character, counted from 1: `text` begins at the character `position`.
Result<CronValues> parse_cron_field(CronField field, std::string_view text, std::size_t position = 1);

}  // namespace semel::domain
