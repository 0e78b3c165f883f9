#include "server/store_file.hpp"

#include "server/refusing.hpp"
#include "store/sqlite/backup.hpp"
#include "store/sqlite/inspect.hpp"

namespace semel::server {

Result<void> backup_store(const std::string& store, const std::string& target, const CopyOptions& options) {
  return refusing([&] { store::sqlite::backup_store(store, target, {options.overwrite, options.progress}); });
}

Result<void> restore_store(const std::string& backup, const std::string& store, const CopyOptions& options) {
  return refusing([&] { store::sqlite::restore_store(backup, store, {options.overwrite, options.progress}); });
}

Result<StoreHealth> inspect_store(const std::string& file) {
  return refusing([&] {
    const store::sqlite::Inspection found = store::sqlite::inspect(file);
    return StoreHealth{found.schema_version, found.integrity, found.file_bytes, found.wal_bytes,
                       found.free_bytes,     found.last_time, found.used_by};
  });
}

}  // namespace semel::server
