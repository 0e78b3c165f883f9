#pragma once
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "domain/retry.hpp"
#include "parquet/file.hpp"

namespace semel::parquet {

/// The row that is being made. What it says is valid until the next one is begun.
class Output {
 public:
  void begin() {
    values_.clear();
    texts_used_ = 0;
  }

  /// A text must live until the next row is begun.
  Output& add(const Value& value) {
    values_.push_back(value);
    return *this;
  }
  Output& add(std::optional<Time> time) { return time ? add(Value(to_ms(*time))) : add(Value()); }
  /// Keeps the text itself.
  Output& keep(std::string text) {
    if (texts_used_ == texts_.size()) texts_.emplace_back();
    std::string& kept = texts_[texts_used_++];
    kept = std::move(text);
    return add(Value(std::string_view(kept)));
  }

  Row row() const { return values_; }

 private:
  std::vector<Value> values_;
  std::deque<std::string> texts_;  // its elements stay where they are
  std::size_t texts_used_ = 0;
};

/// How a stored value is written: adds one value, which is absent where the stored one is.
using Convert = void (*)(Output& output, const Value& stored);

void as_it_is(Output& output, const Value& stored);
void as_uuid(Output& output, const Value& bytes);
void as_hex(Output& output, const Value& bytes);
/// Absent where there is nothing in it.
void as_text(Output& output, const Value& text);
void as_kind(Output& output, const Value& number);
void as_state(Output& output, const Value& number);
void as_identity_mode(Output& output, const Value& number);
void as_window_kind(Output& output, const Value& number);
void as_history_kind(Output& output, const Value& number);
/// Absent = the usual policy.
domain::RetryPolicy read_retry(const Value& text);
/// {"max_attempts":3,"backoff":"exponential","base_ms":1000,"cap_ms":3600000,"jitter_percent":20}
void as_retry(Output& output, const Value& text);

}  // namespace semel::parquet
