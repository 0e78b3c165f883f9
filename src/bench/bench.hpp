#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace semel::bench {

/// What `semel bench` was told.
struct Options {
  std::string workload;
  std::size_t batch = 1;
  std::size_t in_flight = 0;  // 0 = 64, or 8 with a batch
  std::size_t prefill = 0;    // tasks that the store holds before; 0 with `claim` = what it needs
  std::size_t tasks = 0;      // to be drained by `run`; 0 = enough for the time
  Duration time = 5s;
  std::string store;   // a file or the URL of a cluster; empty = a temporary file that is removed afterwards
  std::string binary;  // the server's
  std::string transport = "http";  // or "grpc"
  bool stream = false;             // with grpc: all callers on one stream
  bool json = false;
};

/// One measured workload.
struct Report {
  std::string workload;
  std::string store = "sqlite";
  std::string transport = "http";
  std::size_t in_flight = 0;
  std::size_t batch = 1;
  double per_s = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double raw_per_s = 0;
  std::string yardstick = "raw";   // what the one before is of, in words
  std::uint64_t refused = 0;       // tasks whose answers were 503s, or others that were not meant
  std::uint64_t resident_kib = 0;  // of the server, at the end; 0 = there was none
  std::uint64_t tasks = 0;
};

/// What `workload` can be; over gRPC, not all of them.
std::vector<std::string> workload_names();

Report run(const Options& options);

std::string to_text(const Report& report);
/// One object on a line.
std::string to_json(const Report& report);

}  // namespace semel::bench
