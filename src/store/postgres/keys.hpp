#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "ports/store.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

std::vector<domain::ApiKey> read_keys(Connection& connection);
std::vector<AuditEntry> read_audit(Connection& connection, std::string_view tenant, std::optional<std::int64_t> before,
                                   std::size_t limit);

}  // namespace semel::store::postgres
