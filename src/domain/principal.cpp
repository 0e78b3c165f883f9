#include "domain/principal.hpp"

#include <array>

namespace semel::domain {
namespace {

constexpr std::array all{Permission::tasks_create, Permission::tasks_read, Permission::tasks_cancel,
                         Permission::workers, Permission::admin};

}  // namespace

std::string_view name_of(Permission permission) {
  switch (permission) {
    case Permission::tasks_create: return "tasks:create";
    case Permission::tasks_read: return "tasks:read";
    case Permission::tasks_cancel: return "tasks:cancel";
    case Permission::workers: return "workers";
    case Permission::admin: return "admin";
  }
  return "";
}

std::optional<Permission> parse_permission(std::string_view name) {
  for (const Permission permission : all) {
    if (name_of(permission) == name) return permission;
  }
  return std::nullopt;
}

std::vector<std::string_view> permission_names(std::uint8_t permissions) {
  std::vector<std::string_view> names;
  for (const Permission permission : all) {
    if ((permissions & static_cast<std::uint8_t>(permission)) != 0) names.push_back(name_of(permission));
  }
  return names;
}

}  // namespace semel::domain
