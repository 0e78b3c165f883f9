#include "api/grpc/workers.hpp"

#include "api/grpc/worker_stream.hpp"

namespace semel::rpc {
namespace {

constexpr Method connect_method{"semel.v1.WorkerService", "Connect"};

}  // namespace

grpc::ServerBidiReactor<v1::WorkerMessage, v1::ServerMessage>* WorkerService::Connect(
    grpc::CallbackServerContext* context) {
  return open_stream<WorkerStream>(backend_, connect_method, *context);
}

}  // namespace semel::rpc
