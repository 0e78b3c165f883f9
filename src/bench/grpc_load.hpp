#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "bench/clients.hpp"

namespace semel::bench {

/// Submissions through gRPC.
struct GrpcLoad {
  std::uint16_t port = 0;
  std::size_t in_flight = 1;  // callers, each with one request at a time
  std::size_t batch = 1;      // tasks a request
  bool stream = false;        // all callers share one stream; what waits together goes as one message
  bool expects_new = true;    // else duplicates
  /// With which number the next request begins; nothing = it is over. Asked by one thread at a time.
  std::function<std::optional<std::uint64_t>()> next_number{};
};

/// Runs until no caller has anything to send; the seconds that it took. Throws std::runtime_error when the server ends
/// the stream.
double run(const GrpcLoad& load, Tally& tally);

}  // namespace semel::bench
