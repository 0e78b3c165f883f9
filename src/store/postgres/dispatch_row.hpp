#pragma once
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "store/postgres/batch.hpp"

namespace semel::store::postgres {

/// How a dispatch stands in its row: only the file of this name knows the order of the columns. The table must be
/// called d. Whether it is open is what its attempt says.
#define SEMEL_DISPATCH_COLUMNS                                                                                       \
  "d.attempt_id, d.execution_id, d.number, d.repair, d.dispatch_id, d.external_id, d.state, d.sends, d.created_at, " \
  "d.due_at, d.accepted_at, d.next_send_at, d.answer"
domain::Dispatch read_dispatch(const Row& row, int first = 0);

/// Each with its tenant.
void insert_dispatches(Connection& connection,
                       std::span<const std::pair<std::string_view, const domain::Dispatch*>> dispatches);

std::vector<StoredDispatch> read_dispatches(Connection& connection, const DispatchQuery& query);
std::vector<DispatchDepth> read_dispatch_depths(Connection& connection);

}  // namespace semel::store::postgres
