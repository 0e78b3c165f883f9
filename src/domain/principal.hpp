#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace semel::domain {

enum class Permission : std::uint8_t {  // numbers are stored
  tasks_create = 1,
  tasks_read = 2,
  tasks_cancel = 4,
  workers = 8,
  admin = 16,
};

/// "tasks:create" and so on.
std::string_view name_of(Permission permission);
std::optional<Permission> parse_permission(std::string_view name);

/// The names of the bits that are set, in the order of the enum.
std::vector<std::string_view> permission_names(std::uint8_t permissions);

/// The tenant that exists always. Its administrators are the operators: they manage the keys of all tenants.
inline constexpr std::string_view default_tenant = "default";

/// Who asks. Made by an Authenticator, never by a request itself.
struct Principal {
  std::string tenant;
  std::string key_id;            // recorded as `created_by`
  std::uint8_t permissions = 0;  // bits of Permission

  bool may(Permission permission) const { return (permissions & static_cast<std::uint8_t>(permission)) != 0; }
  bool is_operator() const { return tenant == default_tenant && may(Permission::admin); }
};

inline constexpr std::uint8_t all_permissions = 31;

/// An execution may be read with `tasks:read`, or by the API key that created it.
inline bool may_read(const Principal& principal, const std::string& created_by) {
  return principal.may(Permission::tasks_read) || principal.key_id == created_by;
}

}  // namespace semel::domain
