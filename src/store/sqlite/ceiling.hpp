#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>

#include "base/time.hpp"

namespace semel::store {

/// What SQLite itself does with the rows of a submit, without anything of ours around it: the yardstick of the
/// benchmarks.
struct CeilingOptions {
  std::filesystem::path file;  // a new one
  std::size_t group = 64;      // submissions a commit
  std::size_t prefill = 0;     // identities that are there before
  std::size_t context_bytes = 150;
};

/// Opens the store's schema in a new file and keeps it between measurements.
class SubmitCeiling {
 public:
  explicit SubmitCeiling(CeilingOptions options);
  ~SubmitCeiling();

  /// Inserts for that long, an execution and an identity row (the hash as primary key) a submission, one fsync a group.
  /// Submissions a second.
  double inserts_per_second(Duration time);
  /// Reads identity and execution of random holders for that long, as a duplicate does. Reads a second.
  double reads_per_second(Duration time);

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace semel::store
