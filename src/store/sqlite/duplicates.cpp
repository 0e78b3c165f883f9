#include "store/common/texts.hpp"
#include "store/sqlite/batch.hpp"

namespace semel::store::sqlite {
namespace {

bool exists(Batch& batch, std::int64_t tenant_id, domain::ExecutionId id) {
  Scoped query = batch.connection.use("SELECT 1 FROM executions WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid);
  return query->step();
}

void add(Batch& batch, std::int64_t tenant_id, const DuplicateTally& tally) {
  DuplicateTally sum = read_duplicates(batch.connection, tenant_id, tally.id);
  sum.count += tally.count;
  sum.last.insert(sum.last.end(), tally.last.begin(), tally.last.end());
  if (sum.last.size() > duplicate_hits_kept) {
    sum.last.erase(sum.last.begin(), sum.last.end() - static_cast<std::ptrdiff_t>(duplicate_hits_kept));
  }
  const std::string last = hits_text(sum.last);
  batch.begin_writing();
  batch.connection
      .use(
          "INSERT INTO duplicates (tenant_id, id, count, last) VALUES (?1, ?2, ?3, ?4)"
          " ON CONFLICT DO UPDATE SET count = excluded.count, last = excluded.last")
      ->bind(1, tenant_id)
      .bind(2, tally.id.uuid)
      .bind(3, static_cast<std::int64_t>(sum.count))
      .bind(4, last)
      .run();
}

}  // namespace

Outcome apply(Batch& batch, const RecordDuplicates& command) {
  for (const DuplicateTally& tally : command.tallies) {
    const auto tenant_id = batch.tenants.find(tally.tenant);
    if (tenant_id && exists(batch, *tenant_id, tally.id)) add(batch, *tenant_id, tally);
  }
  return DuplicatesRecorded{};
}

DuplicateTally read_duplicates(Connection& connection, std::int64_t tenant_id, domain::ExecutionId id) {
  DuplicateTally tally;
  tally.id = id;
  Scoped query = connection.use("SELECT count, last FROM duplicates WHERE tenant_id = ?1 AND id = ?2");
  query->bind(1, tenant_id).bind(2, id.uuid);
  if (!query->step()) return tally;
  tally.count = static_cast<std::uint64_t>(query->integer(0));
  tally.last = read_hits(query->view(1));
  return tally;
}

}  // namespace semel::store::sqlite
