#include "store/postgres/duplicates.hpp"

#include <utility>

#include "store/common/texts.hpp"
#include "store/postgres/batch.hpp"

namespace semel::store::postgres {
namespace {

/// One a line, newest last.
std::string lines_of(const std::vector<DuplicateHit>& hits) {
  std::string lines;
  for (const DuplicateHit& hit : hits) {
    if (!lines.empty()) lines += '\n';
    lines += hits_text({hit});
  }
  return lines;
}

struct Sum {
  std::uint64_t count = 0;
  std::vector<DuplicateHit> last;
};

}  // namespace

/// The rows that they belong to are kept from being removed meanwhile: else counts of nothing would stay behind.
Outcome apply(Batch& batch, const RecordDuplicates& command) {
  std::map<TenantAndId, Sum> sums;
  for (const DuplicateTally& tally : command.tallies) {
    Sum& sum = sums[{tally.tenant, tally.id}];
    sum.count += tally.count;
    sum.last.insert(sum.last.end(), tally.last.begin(), tally.last.end());
  }
  Array tenants(Type::text), ids(Type::uuid), counts(Type::integer), lasts(Type::text);
  for (const auto& [id, sum] : sums) {
    tenants.add(id.first);
    ids.add(id.second);
    counts.add(sum.count);
    lasts.add(lines_of(sum.last));
  }
#define SEMEL_ADD_DUPLICATES(table, condition)                                                    \
  "INSERT INTO duplicates AS d (tenant, id, count, last)"                                         \
  " SELECT e.tenant, e.id, b.count, last_lines(b.last, '', $5::integer)"                          \
  " FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[]) AS b (tenant, id, count, last)" \
  " JOIN " table " e ON e.tenant = b.tenant AND e.id = b.id" condition                            \
  " ORDER BY e.tenant, e.id FOR KEY SHARE OF e ON CONFLICT (tenant, id) DO UPDATE SET"            \
  " count = d.count + excluded.count, last = last_lines(d.last, excluded.last, $5::integer) RETURNING 1"
  const Rows added =
      batch.connection.run(SEMEL_ADD_DUPLICATES("executions", ""), tenants, ids, counts, lasts, duplicate_hits_kept);
  if (std::cmp_less(added.count(), sums.size())) {  // the others were put away, or removed
    batch.connection.run(SEMEL_ADD_DUPLICATES("closed", " AND NOT is_leaving(e.keep_days, e.closed_day)"), tenants, ids,
                         counts, lasts, duplicate_hits_kept);
  }
  return DuplicatesRecorded{};
}

DuplicateTally read_duplicates(Connection& connection, std::string_view tenant, domain::ExecutionId id) {
  DuplicateTally tally{std::string(tenant), id, 0, {}};
  const Rows rows = connection.run("SELECT count, last FROM duplicates WHERE tenant = $1 AND id = $2", tenant, id);
  if (rows.empty()) return tally;
  tally.count = static_cast<std::uint64_t>(rows[0].integer(0));
  std::string_view lines = rows[0].view(1);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    for (DuplicateHit& hit : read_hits(lines.substr(0, end))) tally.last.push_back(std::move(hit));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return tally;
}

}  // namespace semel::store::postgres
