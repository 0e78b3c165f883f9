#include "api/grpc/backend.hpp"

#include <vector>

namespace semel::rpc {
namespace {

/// "ipv4:127.0.0.1:5000", "ipv6:%5B::1%5D:5000"
bool is_loopback(std::string_view peer) {
  for (const std::string_view begin :
       {"ipv4:127.", "ipv6:%5B::1%5D:", "ipv6:[::1]:", "ipv6:%5B::ffff:127.", "ipv6:[::ffff:127."}) {
    if (peer.starts_with(begin)) return true;
  }
  return false;
}

std::string_view authorization_of(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  return found == metadata.end() ? std::string_view() : std::string_view(found->second.data(), found->second.size());
}

}  // namespace

Result<domain::Principal> Backend::admit(const grpc::CallbackServerContext& context) {
  if (calls_.fetch_add(1) >= calls_max_)
    return refuse(ErrorCode::unavailable, "too many calls are under way; nothing was changed, try again in a moment");
  return authenticator_.authenticate({authorization_of(context), is_loopback(context.peer())});
}

void Backend::over(const Method& method, codec::GrpcStatus status, Steady::time_point begun) {
  calls_.fetch_sub(1);
  engine.metrics().call(method.service, method.name, codec::name_of(status), Steady::now() - begun);
}

void Backend::add(const std::shared_ptr<Drainable>& stream) {
  bool too_late = false;
  {
    const std::lock_guard lock(mutex_);
    streams_.emplace(stream.get(), stream);
    too_late = draining_;
  }
  if (too_late) stream->drain();
}

void Backend::remove(const Drainable* stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void Backend::drain() {
  std::vector<std::shared_ptr<Drainable>> streams;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    for (const auto& [key, stream] : streams_) {
      if (auto alive = stream.lock()) streams.push_back(std::move(alive));
    }
  }
  for (const auto& stream : streams) stream->drain();
}

}  // namespace semel::rpc
