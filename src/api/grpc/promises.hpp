#pragma once
#include <semel/v1/promise.grpc.pb.h>

#include "api/grpc/backend.hpp"

namespace semel::rpc {

class PromiseService final : public v1::PromiseService::CallbackService {
 public:
  explicit PromiseService(Backend& backend) : backend_(backend) {}

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* Create(Context*, const v1::CreatePromiseRequest*, v1::CreatePromiseResponse*) override;
  Reactor* Resolve(Context*, const v1::ResolvePromiseRequest*, v1::SettlePromiseResponse*) override;
  Reactor* Reject(Context*, const v1::RejectPromiseRequest*, v1::SettlePromiseResponse*) override;
  Reactor* Get(Context*, const v1::GetPromiseRequest*, v1::Promise*) override;

 private:
  Backend& backend_;
};

}  // namespace semel::rpc
