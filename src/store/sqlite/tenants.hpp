#pragma once
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// The numbers that stand for tenants in rows. Reads from any thread; id_of() and load() by the writer only.
class Tenants {
 public:
  void load(Connection& connection);

  std::optional<std::int64_t> find(std::string_view name) const;
  std::string name_of(std::int64_t id) const;
  std::vector<std::int64_t> ids() const;
  /// Makes the tenant if it is new; a write transaction must be open then. After a rollback, load() again.
  std::int64_t id_of(Connection& connection, std::string_view name);

 private:
  mutable std::shared_mutex mutex_;  // guards both
  std::unordered_map<std::string, std::int64_t> ids_;
  std::unordered_map<std::int64_t, std::string> names_;
};

}  // namespace semel::store::sqlite
