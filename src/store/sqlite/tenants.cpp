#include "store/sqlite/tenants.hpp"

#include <mutex>

#include "base/ensure.hpp"

namespace semel::store::sqlite {

void Tenants::load(Connection& connection) {
  const std::unique_lock lock(mutex_);
  ids_.clear();
  names_.clear();
  Scoped query = connection.use("SELECT id, name FROM tenants");
  while (query->step()) {
    ids_.emplace(query->text(1), query->integer(0));
    names_.emplace(query->integer(0), query->text(1));
  }
}

std::optional<std::int64_t> Tenants::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = ids_.find(std::string(name));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string Tenants::name_of(std::int64_t id) const {
  const std::shared_lock lock(mutex_);
  const auto found = names_.find(id);
  ensure(found != names_.end());
  return found->second;
}

std::vector<std::int64_t> Tenants::ids() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::int64_t> ids;
  for (const auto& [id, name] : names_) ids.push_back(id);
  return ids;
}

std::int64_t Tenants::id_of(Connection& connection, std::string_view name) {
  if (const auto known = find(name)) return *known;
  Scoped insert = connection.use("INSERT INTO tenants (name) VALUES (?1) RETURNING id");
  insert->bind(1, name);
  insert->step();
  const std::int64_t id = insert->integer(0);
  const std::unique_lock lock(mutex_);
  ids_.emplace(name, id);
  names_.emplace(id, name);
  return id;
}

}  // namespace semel::store::sqlite
