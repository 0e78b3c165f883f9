#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/attempt.hpp"
#include "domain/execution.hpp"
#include "parquet/file.hpp"
#include "parquet/reader.hpp"

namespace semel::parquet {

/// All attempts of a store, each with its execution, and with the other attempts of that one. Tables of rows that
/// belong to attempts are in the same order (execution, number), and can be sought beside it.
class AttemptStream {
 public:
  explicit AttemptStream(Snapshot& snapshot);

  /// Goes on to the next attempt. False at the end.
  bool next();
  /// Goes on to the first attempt of the next execution that has any. False at the end.
  bool next_execution();

  const domain::Attempt& attempt() const { return attempts_[at_]; }
  /// All of the execution.
  std::span<const domain::Attempt> attempts() const { return attempts_; }
  /// Of this it has what its timers and identifiers need.
  const domain::Execution& execution() const { return execution_; }

  std::string run_id() const;
  const std::string& task_key() const;

 private:
  std::optional<domain::Attempt> read();
  void read_execution();

  Reader attempts_reader_;
  Reader executions_;
  domain::Execution execution_;
  std::vector<domain::Attempt> attempts_{};  // as many as an execution may have, at most
  std::size_t at_ = 0;
  std::string tenant_of_ahead_;
  std::optional<domain::Attempt> ahead_{};  // the first of the execution after it
  bool is_begun_ = false;
};

/// Whether it began or ended in the range.
inline bool has_attempt(const Range& range, const domain::Attempt& attempt) {
  return !range.since || attempt.started_at >= *range.since || (attempt.ended_at && *attempt.ended_at >= *range.since);
}

}  // namespace semel::parquet
