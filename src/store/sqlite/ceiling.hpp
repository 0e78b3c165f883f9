#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>

#include "base/time.hpp"

namespace semel::store {

/// What SQLite itself does with the rows of a task's life, without anything of ours around it: the yardstick of the
/// benchmarks.
struct CeilingOptions {
  std::filesystem::path file;  // a new one, or a copy of a store
  std::size_t group = 64;      // tasks a commit
  std::size_t prefill = 0;     // identities that are there before
  std::size_t ready = 0;       // the newest tasks of the copy, which are ready to be claimed
  std::size_t context_bytes = 150;
  std::string result = "{}";  // of a completed task
};

/// Something was done so often in so long.
struct Rate {
  std::size_t count = 0;
  double seconds = 0;

  double per_second() const { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }
  Rate operator+(const Rate& other) const { return {count + other.count, seconds + other.seconds}; }
};

/// Opens the store's schema in its file and keeps it between measurements.
class Ceiling {
 public:
  /// What a commit does to each task of a group:
  enum class Step : std::uint8_t {
    submit,    // inserts an execution and its identity (the hash as primary key)
    claim,     // updates the execution and inserts an attempt: of the oldest ones that are ready
    complete,  // updates both: of the oldest ones that are running
  };

  explicit Ceiling(CeilingOptions options);
  ~Ceiling();

  /// Takes one group after another through the steps, a commit with one fsync each: at least one group, then for that
  /// long, while there are tasks and until so many went through.
  Rate measure(std::initializer_list<Step> steps, Duration time, std::size_t tasks_max = SIZE_MAX);
  /// Reads identity and execution of random holders for that long, as a duplicate does.
  Rate measure_reads(Duration time);

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace semel::store
