#include "api/codec/query.hpp"
#include "api/codec/submission.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {

void explain_identity(Call call) {
  const Responder to = call.to;
  Result<domain::Submission> submission = codec::decode_submission(call.request.body, call.request.idempotency_key);
  if (!submission) return to.refuse(submission.error());
  const Result<engine::ExplainView> view = call.engine.explain(call.principal, *std::move(submission));
  if (!view) return to.refuse(view.error());
  to.answer(codec::encode_explain(*view));
}

void release_identity(Call call) {
  const Responder to = call.to;
  if (Result<void> known = check_query(call.request, {"force"}); !known) return to.refuse(known.error());
  const Result<Hash32> hash = codec::parse_identity_hash(call.parts.front());
  if (!hash) return to.refuse(hash.error());
  const std::string* force = call.request.query_value("force");
  if (force != nullptr && *force != "true" && *force != "false")
    return to.refuse({ErrorCode::bad_request, "force must be true or false"});
  call.engine.release(call.principal, *hash, force != nullptr && *force == "true",
                      [to](const Result<Released>& released) {
                        if (!released) return to.refuse(released.error());
                        to.answer(codec::encode_released(*released));
                      });
}

}  // namespace semel::http
