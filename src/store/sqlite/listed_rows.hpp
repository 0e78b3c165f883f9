#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/common/searching.hpp"
#include "store/sqlite/execution_row.hpp"

namespace semel::store::sqlite {

/// Rows of [from, before), at most rows_max of them.
struct SeqRange {
  std::int64_t from = 1;
  std::int64_t before = 0;
  std::size_t rows_max = 0;
};

struct Listed {
  std::vector<ExecutionRow> rows{};              // newest first, without the large columns
  std::optional<std::int64_t> stopped_before{};  // the search was over before it had looked at this row
};

/// How they are selected. None of these statements sorts: the first rows are there at once, however many there are.
std::string_view list_statement(const ListQuery& wanted);

/// Whether all rows are looked at, since no index leads to those that are wanted.
bool is_by_number(const ListQuery& wanted);

/// What fits; limit and cursor of the query are not looked at. Failures, what runs, workflows and promises, and what
/// belongs to one run have indexes, so that they need not be looked for among everything else.
Listed list_rows(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted, const SeqRange& range,
                 Searching* searching);

/// The row from which on a page before `before` may look at all rows up to it, so that it looks at `rows_max` at most;
/// 1 when it may look at all there are.
std::int64_t first_looked_at(Connection& connection, std::int64_t tenant_id, const ListQuery& wanted,
                             std::int64_t before, std::size_t rows_max);

}  // namespace semel::store::sqlite
