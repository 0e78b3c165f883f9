#pragma once
#include <memory>

#include "ports/clock.hpp"
#include "ports/store.hpp"
#include "server/store_target.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace semel::server {

struct StoreOptions {
  StoreTarget target{};
  store::SqliteOptions sqlite{};  // limits and migrate count for both
  int postgres_connections = 4;   // that apply changes
  int postgres_readers = 4;
};

/// The clock is for a file; a database has its own. Throws StoreFault.
std::unique_ptr<Store> open_store(const StoreOptions& options, const Clock& clock);

}  // namespace semel::server
