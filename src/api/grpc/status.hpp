#pragma once
#include <grpcpp/support/status.h>
#include <semel/v1/common.pb.h>

#include "api/codec/refusal.hpp"

namespace semel::rpc {

void write_error(v1::Error& to, const codec::Refusal& refusal);

/// The status of a refused call, with the whole refusal among its details as far as a header has room.
grpc::Status status_of(const codec::Refusal& refusal);
grpc::Status status_of(const Error& error);

}  // namespace semel::rpc
