#include "api/grpc/promises.hpp"

#include "api/grpc/call.hpp"
#include "api/grpc/workflow_requests.hpp"
#include "api/grpc/workflow_views.hpp"

namespace semel::rpc {
namespace {

constexpr std::string_view promise_service = "semel.v1.PromiseService";
constexpr Method create_promise_method{promise_service, "Create"};
constexpr Method resolve_promise_method{promise_service, "Resolve"};
constexpr Method reject_promise_method{promise_service, "Reject"};
constexpr Method get_promise_method{promise_service, "Get", true};

void create_promise(const Call<v1::CreatePromiseRequest, v1::CreatePromiseResponse>& call) {
  Result<domain::Submission> promise = read_promise(call.request);
  if (!promise) return call.to.refuse(promise.error());
  call.engine.submit(call.principal, *std::move(promise),
                     [to = call.to, response = call.response](engine::SubmitAnswer answer) {
                       to.answer([response, answer = std::move(answer)] {
                         const auto settled = codec::settle(answer);
                         if (!settled) return status_of(settled.error());
                         write_promised(*response, *settled);
                         return grpc::Status::OK;
                       });
                     });
}

template <auto Read, typename Request>
void settle_promise(const Call<Request, v1::SettlePromiseResponse>& call) {
  Result<engine::Engine::SettleRequest> request = Read(call.request);
  if (!request) return call.to.refuse(request.error());
  call.engine.settle(call.principal, *std::move(request),
                     [to = call.to, response = call.response](const Result<SettleAnswer>& settled) {
                       to.answer([response, settled] {
                         if (!settled) return status_of(settled.error());
                         response->set_promise_id(settled->id.text());
                         response->set_status(to_wire(*settled->state));
                         response->set_already_resolved(settled->kind == SettleAnswer::Kind::already_settled);
                         return grpc::Status::OK;
                       });
                     });
}

void get_promise(const Call<v1::GetPromiseRequest, v1::Promise>& call) {
  const Result<domain::ExecutionId> id =
      find_named(call.engine, call.principal,
                 {domain::Kind::promise, "promise_id", call.request.promise_id(), "key", call.request.key()});
  if (!id) return call.to.refuse(id.error());
  const Result<domain::Execution> promise = call.engine.promise(call.principal, *id);
  if (!promise) return call.to.refuse(promise.error());
  call.to.answer([&] {
    write_promise(*call.response, *promise);
    return grpc::Status::OK;
  });
}

}  // namespace

PromiseService::Reactor* PromiseService::Create(Context* context, const v1::CreatePromiseRequest* request,
                                                v1::CreatePromiseResponse* response) {
  return begin(backend_, create_promise_method, context, request, response, create_promise);
}

PromiseService::Reactor* PromiseService::Resolve(Context* context, const v1::ResolvePromiseRequest* request,
                                                 v1::SettlePromiseResponse* response) {
  return begin(backend_, resolve_promise_method, context, request, response,
               settle_promise<read_resolve, v1::ResolvePromiseRequest>);
}

PromiseService::Reactor* PromiseService::Reject(Context* context, const v1::RejectPromiseRequest* request,
                                                v1::SettlePromiseResponse* response) {
  return begin(backend_, reject_promise_method, context, request, response,
               settle_promise<read_reject, v1::RejectPromiseRequest>);
}

PromiseService::Reactor* PromiseService::Get(Context* context, const v1::GetPromiseRequest* request,
                                             v1::Promise* response) {
  return begin(backend_, get_promise_method, context, request, response, get_promise);
}

}  // namespace semel::rpc
