#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "domain/schedule/record.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/tenants.hpp"

namespace semel::store::sqlite {

std::optional<domain::ScheduleRecord> find_schedule(Connection& connection, const Tenants& tenants,
                                                    std::int64_t tenant_id, std::string_view name);
/// By name, from the first after `after` on.
std::vector<domain::ScheduleRecord> read_schedules(Connection& connection, const Tenants& tenants,
                                                   std::int64_t tenant_id, std::string_view after, std::size_t limit);
std::vector<domain::ScheduleRecord> read_due_schedules(Connection& connection, const Tenants& tenants, Time until,
                                                       std::size_t limit);
std::optional<Time> next_due_schedule(Connection& connection);

/// A write transaction must be open.
void write_schedule(Connection& connection, std::int64_t tenant_id, const domain::ScheduleRecord& schedule);

}  // namespace semel::store::sqlite
