#pragma once
#include <cstdint>
#include <string>

namespace semel::domain {

enum class Permission : std::uint8_t {
  tasks_create = 1,
  tasks_read = 2,
  tasks_cancel = 4,
  workers = 8,
  admin = 16,
};

/// Who asks. Made by an Authenticator, never by a request itself.
struct Principal {
  std::string tenant;
  std::string key_id;            // recorded as `created_by`
  std::uint8_t permissions = 0;  // bits of Permission

  bool may(Permission permission) const { return (permissions & static_cast<std::uint8_t>(permission)) != 0; }
};

inline constexpr std::uint8_t all_permissions = 31;

/// An execution may be read with `tasks:read`, or by the API key that created it.
inline bool may_read(const Principal& principal, const std::string& created_by) {
  return principal.may(Permission::tasks_read) || principal.key_id == created_by;
}

}  // namespace semel::domain
