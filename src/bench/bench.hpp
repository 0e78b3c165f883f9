#pragma once
#include <cstdint>
#include <string>

#include "base/time.hpp"

namespace semel::bench {

/// What `semel bench` was told.
struct Options {
  std::string workload;
  std::size_t batch = 1;
  std::size_t in_flight = 0;  // 0 = 64, or 8 with a batch
  std::size_t prefill = 0;    // identities that the store holds before
  Duration time = 5s;
  std::string store;   // sqlite:FILE; empty = a temporary one that is removed afterwards
  std::string binary;  // the server's
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
  std::uint64_t refused = 0;       // 503s and other answers that were not meant
  std::uint64_t resident_kib = 0;  // of the server, at the end
  std::uint64_t tasks = 0;
};

Report run(const Options& options);

std::string to_text(const Report& report);
/// One object on a line.
std::string to_json(const Report& report);

}  // namespace semel::bench
