#pragma once
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {

/// How a dispatch stands in its row: only the file of this name knows the columns. Whether it is open is what its
/// attempt says.

void insert_dispatch(Connection& connection, std::int64_t tenant_id, const domain::Dispatch& dispatch);
std::optional<domain::Dispatch> find_dispatch(Connection& connection, std::int64_t tenant_id, domain::AttemptId id);
/// All that may change of it.
void write_dispatch(Connection& connection, std::int64_t tenant_id, const domain::Dispatch& dispatch);
/// Before the attempts of the execution go.
void erase_dispatches(Connection& connection, std::int64_t tenant_id, std::int64_t seq);

std::vector<StoredDispatch> read_dispatches(Connection& connection, std::int64_t tenant_id, const DispatchQuery& query);
/// Of one execution, in the order of their attempts: all, or only those that were given a new name.
enum class DispatchesOf : std::uint8_t { all, repaired };
std::vector<domain::Dispatch> read_dispatches_of(Connection& connection, std::int64_t tenant_id, std::int64_t seq,
                                                 DispatchesOf which);
std::vector<DispatchDepth> read_dispatch_depths(Connection& connection, const Tenants& tenants);

}  // namespace semel::store::sqlite
