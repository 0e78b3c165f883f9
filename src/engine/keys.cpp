#include "domain/names.hpp"
#include "engine/engine.hpp"

namespace semel::engine {
namespace {

/// Administrators manage the keys of their own tenant; operators those of all.
Result<std::optional<std::string>> managed_tenant(const domain::Principal& principal) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed) return pass_on(allowed.error());
  if (principal.is_operator()) return std::nullopt;
  return principal.tenant;
}

Result<void> check(const Engine::KeyRequest& request, const domain::Principal& principal, bool is_first) {
  const Result<std::optional<std::string>> managed = managed_tenant(principal);
  if (!managed) return pass_on(managed.error());
  if (*managed && request.tenant && *request.tenant != **managed) {
    return refuse(ErrorCode::forbidden, "only administrators of the tenant default make keys for other tenants");
  }
  if (request.permissions == 0) return bad_request("permissions must name at least one permission");
  const bool is_admin = (request.permissions & static_cast<std::uint8_t>(domain::Permission::admin)) != 0;
  const bool is_default = request.tenant.value_or(principal.tenant) == domain::default_tenant;
  if (is_first && !(is_admin && is_default && !request.expires_in)) {
    return bad_request(
        "from the first key on keys are required, so it must be able to make others: give it the permission admin in "
        "the tenant default, and no end");
  }
  return {};
}

}  // namespace

void Engine::create_key(const domain::Principal& principal, KeyRequest request, Answer<Result<NewKey>> answer) {
  if (Result<void> good = check(request, principal, keys_.is_empty()); !good) return answer(pass_on(good.error()));
  const auto& random = options_.random;
  const domain::KeySecret secret = domain::make_key_secret({random(), random(), random(), random()});
  CreateKey command;
  command.key.id = secret.id;
  command.key.tenant = request.tenant.value_or(principal.tenant);
  command.key.name = std::move(request.name);
  command.key.permissions = request.permissions;
  command.key.secret_hash = secret.hash;
  command.key.created_by = principal.key_id;
  command.expires_in = request.expires_in;
  commit<KeyCreated>(std::move(command),
                     [this, text = secret.text, answer = std::move(answer)](Result<KeyCreated> created) {
                       if (!created) return answer(pass_on(created.error()));
                       keys_.put(created->key);
                       answer(NewKey{std::move(created->key), text});
                     });
}

Result<std::vector<domain::ApiKey>> Engine::keys(const domain::Principal& principal) {
  const Result<std::optional<std::string>> tenant = managed_tenant(principal);
  if (!tenant) return pass_on(tenant.error());
  return keys_.list(*tenant);
}

void Engine::revoke_key(const domain::Principal& principal, const std::string& id,
                        Answer<Result<domain::ApiKey>> answer) {
  const Result<std::optional<std::string>> tenant = managed_tenant(principal);
  if (!tenant) return answer(pass_on(tenant.error()));
  commit<KeyRevoked>(RevokeKey{*tenant, id, principal.key_id},
                     [this, answer = std::move(answer)](Result<KeyRevoked> revoked) {
                       if (!revoked) return answer(pass_on(revoked.error()));
                       if (!revoked->key) return answer(refuse(ErrorCode::not_found, "there is no key of this id"));
                       keys_.put(*revoked->key);
                       answer(*std::move(revoked->key));
                     });
}

Result<std::vector<AuditEntry>> Engine::audit(const domain::Principal& principal,
                                              const std::optional<std::string>& tenant,
                                              std::optional<std::int64_t> before, std::size_t limit) {
  const Result<std::optional<std::string>> managed = managed_tenant(principal);
  if (!managed) return pass_on(managed.error());
  const std::string wanted = tenant.value_or(principal.tenant);
  if (*managed && wanted != **managed) {
    return refuse(ErrorCode::forbidden, "only administrators of the tenant default read the audit log of others");
  }
  return store_.audit(wanted, before, limit);
}

WhoView Engine::who(const domain::Principal& principal) const {
  WhoView view{principal, std::nullopt, requires_keys()};
  for (domain::ApiKey& key : keys_.list(principal.tenant)) {
    if (key.id == principal.key_id) view.key = std::move(key);
  }
  return view;
}

Result<domain::Principal> Engine::authenticate(const Credentials& credentials) const {
  if (keys_.is_empty()) {
    if (credentials.from_loopback)
      return domain::Principal{std::string(domain::default_tenant), "open", domain::all_permissions};
    return refuse(ErrorCode::unauthorized,
                  "without API keys only this machine may ask; make one with semel key create");
  }
  constexpr std::string_view scheme = "Bearer ";
  if (!credentials.authorization.starts_with(scheme)) {
    return refuse(ErrorCode::unauthorized, "an API key is required: send Authorization: Bearer KEY");
  }
  const auto key = keys_.find(credentials.authorization.substr(scheme.size()), store_.now());
  if (!key) return refuse(ErrorCode::unauthorized, "this API key is unknown, expired or revoked");
  return domain::Principal{key->tenant, key->id, key->permissions};
}

}  // namespace semel::engine
