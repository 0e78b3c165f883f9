#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "domain/schedule/record.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

std::optional<domain::ScheduleRecord> find_schedule(Connection& connection, std::string_view tenant,
                                                    std::string_view name);
/// Waits for whoever changes it; then nobody else can.
std::optional<domain::ScheduleRecord> lock_schedule(Connection& connection, std::string_view tenant,
                                                    std::string_view name);
/// By name, from the first after `after` on.
std::vector<domain::ScheduleRecord> read_schedules(Connection& connection, std::string_view tenant,
                                                   std::string_view after, std::size_t limit);
std::vector<domain::ScheduleRecord> read_due_schedules(Connection& connection, Time until, std::size_t limit);
std::optional<Time> next_due_schedule(Connection& connection);

void write_schedule(Connection& connection, const domain::ScheduleRecord& schedule);

}  // namespace semel::store::postgres
