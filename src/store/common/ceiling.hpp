#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/time.hpp"

namespace semel::store {

/// Something was done so often in so long.
struct Rate {
  std::size_t count = 0;
  double seconds = 0;

  double per_second() const { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }
  Rate operator+(const Rate& other) const { return {count + other.count, seconds + other.seconds}; }
};

/// What a database itself does with the rows of a task's life, without anything of ours around it: the yardstick of the
/// benchmarks. Keeps its rows between measurements.
class Ceiling {
 public:
  /// What a commit does to each task of a group:
  enum class Step : std::uint8_t {
    submit,    // inserts an execution and its identity (the hash as primary key)
    claim,     // updates the execution and inserts an attempt: of the oldest ones that are ready
    complete,  // updates both: of the oldest ones that are running
    turn,      // completes as many as are running, a group at most, and claims the next: both in one commit
  };

  virtual ~Ceiling() = default;

  /// Takes one group after another through the steps, a durable commit each: at least one group, then for that long,
  /// while there are tasks and until so many went through.
  virtual Rate measure(std::initializer_list<Step> steps, Duration time, std::size_t tasks_max = SIZE_MAX) = 0;
  /// Reads identity and execution of random holders for that long, as a duplicate does.
  virtual Rate measure_reads(Duration time) = 0;
};

}  // namespace semel::store
