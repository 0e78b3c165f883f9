#pragma once
#include "domain/attempt_timer.hpp"
#include "parquet/attempt_stream.hpp"

namespace semel::parquet {

/// The rows of the outbox, beside a stream of attempts. There is one of every attempt that was pushed, until retention
/// takes it; it knows what the dispatch is really called: one that was repaired has another name.
class Outbox {
 public:
  enum Field : std::size_t {
    tenant,
    execution_id,
    number,
    dispatch_id,
    external_id,
    state,
    accepted_at,
    sends,
    due_at
  };

  explicit Outbox(Snapshot& snapshot);

  /// Goes on to the row of the attempt that the stream is at. False when it has none.
  bool find(const AttemptStream& stream);
  /// What it knows of all attempts of the execution that the stream is at.
  domain::PushedAttempts find_all(const AttemptStream& stream);

  const store::dump::Value& value(Field field) const { return rows_.value(field); }
  std::int64_t integer(Field field) const { return rows_.number(field); }

 private:
  bool find(const domain::ExecutionSpec& spec, int wanted);

  Reader rows_;
};

}  // namespace semel::parquet
