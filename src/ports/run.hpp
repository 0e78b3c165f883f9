#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.hpp"
#include "domain/workflow/run.hpp"

namespace semel {

/// A run as it is stored, beside its execution and its tasks.
struct StoredRun {
  std::shared_ptr<const domain::Graph> graph{};  // shared by all runs with the same plan
  domain::RunFacts facts{};
  std::vector<domain::StepOutcome> outcomes{};  // by step; some may be left from before (is_kept_as_outcome())
  std::int64_t history_length = 0;
};

/// Something that happened in a run.
struct HistoryEntry {
  std::int64_t sequence = 0;  // from 1, without gaps
  Time at{};
  domain::HistoryEvent event{};

  bool operator==(const HistoryEntry&) const = default;
};

}  // namespace semel
