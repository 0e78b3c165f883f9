#pragma once
#include <optional>
#include <string>

#include "domain/attempt.hpp"
#include "domain/execution.hpp"
#include "parquet/file.hpp"
#include "parquet/reader.hpp"

namespace semel::parquet {

/// All attempts of a store, each with its execution, and with a look at the attempt after it. Tables of rows that
/// belong to attempts are in the same order (execution, number), and can be sought beside it.
class AttemptStream {
 public:
  explicit AttemptStream(Snapshot& snapshot);

  /// False at the end.
  bool next();

  const domain::Attempt& attempt() const { return *current_; }
  /// When the next attempt of the same execution began.
  std::optional<Time> next_began() const;
  /// Of this it has what its timers and identifiers need.
  const domain::Execution& execution() const { return execution_; }

  std::string run_id() const;
  const std::string& task_key() const;

 private:
  std::optional<domain::Attempt> read();
  void read_execution();

  Reader attempts_;
  Reader executions_;
  domain::Execution execution_;
  std::string tenant_of_ahead_;
  std::optional<domain::Attempt> current_{};
  std::optional<domain::Attempt> ahead_{};
  bool is_begun_ = false;
};

/// Whether it began or ended in the range.
inline bool has_attempt(const Range& range, const domain::Attempt& attempt) {
  return !range.since || attempt.started_at >= *range.since || (attempt.ended_at && *attempt.ended_at >= *range.since);
}

}  // namespace semel::parquet
