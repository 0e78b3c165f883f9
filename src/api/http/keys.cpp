#include "api/codec/key_request.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"
#include "domain/names.hpp"

namespace semel::http {

void create_key(Call call) {
  const Responder to = call.to;
  Result<engine::Engine::KeyRequest> request = codec::decode_key_request(call.request.body);
  if (!request) return to.refuse(request.error());
  call.engine.create_key(call.principal, *std::move(request), [to](const Result<engine::Engine::NewKey>& created) {
    if (!created) return to.refuse(created.error());
    to.answer(codec::encode_new_key(*created));
  });
}

void list_keys(Call call) {
  const auto keys = call.engine.keys(call.principal);
  if (!keys) return call.to.refuse(keys.error());
  call.to.answer(codec::encode_api_keys(*keys));
}

void revoke_key(Call call) {
  const Responder to = call.to;
  call.engine.revoke_key(call.principal, call.parts.front(), [to](const Result<domain::ApiKey>& key) {
    if (!key) return to.refuse(key.error());
    to.answer(codec::encode_api_key(*key));
  });
}

void read_audit(Call call) {
  const Responder to = call.to;
  if (Result<void> known = check_query(call.request, {"tenant", "limit", "cursor"}); !known)
    return to.refuse(known.error());
  const Result<std::size_t> limit = limit_from(call.request);
  if (!limit) return to.refuse(limit.error());
  const Result<std::optional<std::int64_t>> before = number_from(call.request, "cursor");
  if (!before) return to.refuse(before.error());
  const auto entries = call.engine.audit(call.principal, text_from(call.request, "tenant"), *before, *limit);
  if (!entries) return to.refuse(entries.error());
  to.answer(codec::encode_audit(*entries, *limit));
}

}  // namespace semel::http
