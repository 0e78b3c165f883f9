#include "server/offline.hpp"

#include "base/uuid7_source.hpp"

namespace semel::server {

Offline::Offline(const StoreTarget& target) {
  only_.secret = domain::make_key_secret({secure_random(), secure_random(), secure_random(), secure_random()}).text;
  InstanceOptions options;
  options.store.target = target;
  options.http.port = 0;
  options.http.threads = 1;
  instance_.emplace(std::move(options), clock_, only_);
}

Result<domain::Principal> Offline::OnlyOne::authenticate(const Credentials& credentials) const {
  if (credentials.authorization != "Bearer " + secret) return refuse(ErrorCode::unauthorized, "this is not for you");
  return domain::Principal{std::string(domain::default_tenant), "offline", domain::all_permissions};
}

}  // namespace semel::server
