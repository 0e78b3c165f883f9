#pragma once
#include <string_view>

#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {

/// Adds to the audit log, in the open transaction.
void write_audit(Batch& batch, std::int64_t tenant_id, std::string_view actor, std::string_view action,
                 std::string_view subject);

std::vector<AuditEntry> read_audit(Connection& connection, std::int64_t tenant_id, std::optional<std::int64_t> before,
                                   std::size_t limit);

}  // namespace semel::store::sqlite
