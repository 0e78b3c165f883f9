#pragma once
#include "base/result.hpp"
#include "server/store_target.hpp"
#include "store/common/finding.hpp"
#include "store/common/schema.hpp"

/// What can be done with a store of either kind from outside.
namespace semel::server {

/// Brings the schema of a store to what this binary needs. Safe beside running servers of a database; refused for a
/// file that a process uses. What was to be done.
Result<store::SchemaState> migrate_store(const StoreTarget& target);

/// What that would do; changes nothing.
Result<store::SchemaState> look_at_schema(const StoreTarget& target);

/// What a look at a database from outside finds.
store::Findings examine_database(const std::string& target);

/// The same for a dedup cache, redis://…
Result<store::Findings> examine_dedup_cache(const std::string& url);

}  // namespace semel::server
