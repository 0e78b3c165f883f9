#include "api/codec/query.hpp"
#include "api/grpc/admin_calls.hpp"
#include "api/grpc/admin_views.hpp"
#include "api/grpc/submission.hpp"

namespace semel::rpc {

void explain_identity(const Call<v1::SubmitTaskRequest, v1::ExplainIdentityResponse>& call) {
  Result<domain::Submission> submission = read_submission(call.request);
  if (!submission) return call.to.refuse(submission.error());
  const Result<engine::ExplainView> view = call.engine.explain(call.principal, *std::move(submission));
  if (!view) return call.to.refuse(view.error());
  call.to.answer([&] {
    write_explanation(*call.response, *view);
    return grpc::Status::OK;
  });
}

void release_identity(const Call<v1::ReleaseIdentityRequest, v1::ReleaseIdentityResponse>& call) {
  const Result<Hash32> hash = codec::parse_identity_hash(call.request.hash());
  if (!hash) return call.to.refuse(hash.error());
  call.engine.release(call.principal, *hash, call.request.force(),
                      [to = call.to, response = call.response](const Result<Released>& released) {
                        to.answer([response, released] {
                          if (!released) return status_of(released.error());
                          response->set_released(true);
                          response->set_execution_id(released->holder->text());
                          return grpc::Status::OK;
                        });
                      });
}

}  // namespace semel::rpc
