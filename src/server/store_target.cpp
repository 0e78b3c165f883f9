#include "server/store_target.hpp"

#include <fmt/format.h>

namespace semel::server {
namespace {

constexpr std::string_view sqlite = "sqlite:";
constexpr std::string_view hidden = "…";

bool is_postgres(std::string_view store) {
  return store.starts_with("postgres://") || store.starts_with("postgresql://");
}

/// The password of "user:password@host"; npos where there is none.
std::pair<std::size_t, std::size_t> password_in_authority(std::string_view store) {
  const std::size_t begin = store.find("://") + 3;
  const std::size_t end = std::min(store.find_first_of("/?", begin), store.size());
  const std::size_t at = store.substr(0, end).rfind('@');
  const std::size_t colon = store.find(':', begin);
  if (at == std::string_view::npos || at < begin || colon >= at) return {std::string_view::npos, 0};
  return {colon + 1, at - colon - 1};
}

}  // namespace

Result<StoreTarget> parse_store(std::string_view store) {
  if (is_postgres(store)) return StoreTarget{StoreTarget::Kind::postgres, std::string(store)};
  if (!store.starts_with(sqlite) || store.size() == sqlite.size()) {
    return bad_request(
        "'{}' is not a store; use sqlite:FILE, such as sqlite:./semel.db, or postgres://USER@HOST/DATABASE",
        without_password(store));
  }
  const std::string_view file = store.substr(sqlite.size());
  // "sqlite://a.db" would be the file a.db in the root folder, which nobody means; "sqlite:///srv/a.db" is one path.
  if (file.starts_with("//") && !file.starts_with("///")) {
    return bad_request("'{}' is not a store; use sqlite:{}, without the slashes before the file", store,
                       file.substr(2));
  }
  return StoreTarget{StoreTarget::Kind::sqlite, std::string(file)};
}

Result<std::string> parse_sqlite_store(std::string_view store) {
  Result<StoreTarget> target = parse_store(store);
  if (!target) return pass_on(target.error());
  if (target->kind == StoreTarget::Kind::sqlite) return std::move(target->place);
  return bad_request("this works on a file, sqlite:FILE; for PostgreSQL use its own tools, such as pg_dump");
}

std::string without_password(std::string_view store) {
  std::string shown(store);
  if (store.find("://") == std::string_view::npos) return shown;
  const auto [begin, size] = password_in_authority(store);
  if (begin != std::string_view::npos) shown.replace(begin, size, hidden);
  constexpr std::string_view name = "password=";
  const std::size_t query = shown.find('?');
  for (std::size_t at = query; at != std::string::npos && (at = shown.find(name, at)) != std::string::npos;) {
    at += name.size();
    shown.replace(at, std::min(shown.find('&', at), shown.size()) - at, hidden);
  }
  return shown;
}

}  // namespace semel::server
