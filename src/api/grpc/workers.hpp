#pragma once
#include <semel/v1/worker.grpc.pb.h>

#include "api/grpc/backend.hpp"

namespace semel::rpc {

class WorkerService final : public v1::WorkerService::CallbackService {
 public:
  explicit WorkerService(Backend& backend) : backend_(backend) {}

  grpc::ServerBidiReactor<v1::WorkerMessage, v1::ServerMessage>* Connect(grpc::CallbackServerContext* context) override;

 private:
  Backend& backend_;
};

}  // namespace semel::rpc
