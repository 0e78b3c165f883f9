#include "api/codec/query.hpp"
#include "api/grpc/admin_calls.hpp"
#include "api/grpc/admin_views.hpp"

namespace semel::rpc {

void create_key(const Call<v1::CreateKeyRequest, v1::CreateKeyResponse>& call) {
  Result<engine::Engine::KeyRequest> request = read_key_request(call.request);
  if (!request) return call.to.refuse(request.error());
  call.engine.create_key(call.principal, *std::move(request),
                         [to = call.to, response = call.response](const Result<engine::Engine::NewKey>& created) {
                           to.answer([response, created] {
                             if (!created) return status_of(created.error());
                             write_api_key(*response->mutable_key(), created->key);
                             response->set_secret(created->secret);
                             return grpc::Status::OK;
                           });
                         });
}

void list_keys(const Call<v1::ListKeysRequest, v1::ListKeysResponse>& call) {
  const auto keys = call.engine.keys(call.principal);
  if (!keys) return call.to.refuse(keys.error());
  call.to.answer([&] {
    for (const domain::ApiKey& key : *keys) write_api_key(*call.response->add_keys(), key);
    return grpc::Status::OK;
  });
}

void revoke_key(const Call<v1::RevokeKeyRequest, v1::ApiKey>& call) {
  call.engine.revoke_key(call.principal, call.request.id(),
                         [to = call.to, response = call.response](const Result<domain::ApiKey>& key) {
                           to.answer([response, key] {
                             if (!key) return status_of(key.error());
                             write_api_key(*response, *key);
                             return grpc::Status::OK;
                           });
                         });
}

void list_audit(const Call<v1::ListAuditRequest, v1::ListAuditResponse>& call) {
  const v1::ListAuditRequest& request = call.request;
  const Result<std::size_t> limit =
      codec::page_limit(request.has_limit() ? std::optional<std::int64_t>(request.limit()) : std::nullopt);
  if (!limit) return call.to.refuse(limit.error());
  const auto entries =
      call.engine.audit(call.principal, request.has_tenant() ? std::optional(request.tenant()) : std::nullopt,
                        request.has_before() ? std::optional<std::int64_t>(request.before()) : std::nullopt, *limit);
  if (!entries) return call.to.refuse(entries.error());
  call.to.answer([&] {
    for (const AuditEntry& entry : *entries) write_audit(*call.response->add_entries(), entry);
    if (entries->size() == *limit) call.response->set_next_before(entries->back().seq);
    return grpc::Status::OK;
  });
}

}  // namespace semel::rpc
