#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ports/command.hpp"

/// How values without a column type of their own stand in the text columns of stores that speak SQL.
namespace semel::store {

/// "max_attempts backoff base_ms cap_ms jitter_percent".
std::string retry_text(const domain::RetryPolicy& retry);
domain::RetryPolicy read_retry(std::string_view text);

/// One label as it stands among the others of its row.
std::string label_text(const domain::Labels::value_type& label);
/// A JSON object.
std::string labels_text(const domain::Labels& labels);
domain::Labels read_labels(std::string_view text);
bool has_labels(const domain::Labels& labels, const domain::Labels& wanted);

/// A JSON array, on one line.
std::string hits_text(const std::vector<DuplicateHit>& hits);
std::vector<DuplicateHit> read_hits(std::string_view text);

}  // namespace semel::store
