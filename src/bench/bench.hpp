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
  std::size_t tasks = 0;      // of `run`, `replay` and `suspended`; 0 = as they like
  Duration time = 5s;
  std::string store;          // a file or the URL of a cluster; empty = a temporary file that is removed afterwards
  std::string dedup_cache{};  // of the server: redis://…; empty = none
  bool completed = false;     // `duplicates` are of tasks that have completed
  std::string binary;         // the server's
  std::string transport = "http";  // or "grpc", "sdk", "embedded"
  bool stream = false;             // with grpc: all callers on one stream
  bool json = false;
};

/// One measured workload.
struct Report {
  std::string workload;
  std::string shape{};  // of runs of steps: "linear-4"
  std::string store = "sqlite";
  std::string transport = "http";
  std::size_t in_flight = 0;
  std::size_t batch = 1;
  double per_s = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double raw_per_s = 0;
  std::string yardstick = "raw";    // what the one before is of, in words
  double raw_one_commit_per_s = 0;  // of `run`: completions and the next claims in one commit
  std::uint64_t refused = 0;        // tasks whose answers were 503s, or others that were not meant
  std::uint64_t resident_kib = 0;   // of the server, at the end; 0 = there was none
  double bytes_each = 0;            // by which it grew, where that is what is measured
  std::uint64_t tasks = 0;
};

/// What `workload` can be; over gRPC, not all of them.
std::vector<std::string> workload_names();

/// One report for each shape that the workload has.
std::vector<Report> run(const Options& options);

std::string to_text(const Report& report);
/// One object on a line.
std::string to_json(const Report& report);

}  // namespace semel::bench
