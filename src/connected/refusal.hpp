#pragma once
#include <grpcpp/support/status.h>
#include <semel/v1/common.pb.h>

#include "connected/address.hpp"
#include "sdk/reply.hpp"

/// What the server, or gRPC in its place, says when it does not do something, in the words of the SDK.
namespace semel::connected {

sdk::Refusal refusal_of(const v1::Error& error);

/// Of a call, or of a stream. Where nobody answered, the message says what to look at.
sdk::Refusal refusal_of(const grpc::Status& status, const Address& address);

/// Of a stream that ended while something was under way on it. It may always be asked again, whatever the stream ended
/// by: whether it was done is not known, the reason need not lie with it, and a key that is not taken now may be taken
/// later.
sdk::Refusal broken_off(const grpc::Status& status, const Address& address);

}  // namespace semel::connected
