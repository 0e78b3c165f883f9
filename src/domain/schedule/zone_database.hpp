#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/schedule/time_zone.hpp"

namespace semel::domain {

/// The zone of that name, read once and then kept for the life of the process: the data of the world, one copy for all.
/// Callable from any thread.
Result<TimeZone> find_in_database(std::string_view name);

/// All names that can be found, in order.
Result<std::vector<std::string>> time_zone_names();

}  // namespace semel::domain
