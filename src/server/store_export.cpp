#include "server/store_export.hpp"

#include "ports/clock.hpp"
#include "server/refusing.hpp"
#include "store/postgres/snapshot.hpp"
#include "store/sqlite/snapshot_copy.hpp"

namespace semel::server {
namespace {

/// The copy of a file lies in the draft, where there must be room anyway.
std::unique_ptr<store::dump::Snapshot> take_snapshot(const ExportOptions& options, const Clock& clock,
                                                     const std::filesystem::path& draft) {
  if (options.store.kind == StoreTarget::Kind::postgres)
    return std::make_unique<store::postgres::DatabaseSnapshot>(options.store.place);
  return std::make_unique<store::sqlite::SnapshotCopy>(
      store::sqlite::SnapshotCopy::Files{options.store.place, draft / "snapshot.db"}, clock, options.copied);
}

}  // namespace

Result<parquet::Manifest> export_store(const ExportOptions& options) {
  Result<std::unique_ptr<parquet::Duckdb>> duckdb = parquet::load_duckdb(options.duckdb);
  if (!duckdb) return pass_on(duckdb.error());
  return refusing([&] {
    const SystemClock clock;
    parquet::Draft draft(options.folder, options.replace);
    parquet::Manifest manifest;
    {
      const std::unique_ptr<store::dump::Snapshot> snapshot = take_snapshot(options, clock, draft.folder());
      manifest = parquet::write_export(*snapshot, {options.since}, **duckdb, draft.folder(), options.written);
    }
    draft.finish();
    return manifest;
  });
}

}  // namespace semel::server
