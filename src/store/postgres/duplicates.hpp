#pragma once
#include <string_view>

#include "ports/command.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

DuplicateTally read_duplicates(Connection& connection, std::string_view tenant, domain::ExecutionId id);

}  // namespace semel::store::postgres
