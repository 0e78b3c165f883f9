#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "domain/workflow/code/facts.hpp"
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

/// What the code of a workflow gets, beside its input, which is its execution's context. Whoever has it in memory as it
/// was at `seen` goes on with `events`; everybody else reads the history from `first_event` on, and replays it.
struct Activation {
  std::int64_t first_event = 1;
  std::int64_t seen = 0;
  std::int64_t history_length = 0;
  std::int64_t last_command = 0;
  std::vector<HistoryEntry> events{};  // after `seen`; those that are left out are read in pages

  bool operator==(const Activation&) const = default;
};

/// A timer that has neither fired nor been cancelled.
struct OpenTimer {
  std::int64_t command = 0;
  Time fire_at{};

  bool operator==(const OpenTimer&) const = default;
};

/// A code workflow as it is stored, beside its execution, its children and its history.
struct StoredWorkflow {
  domain::code::Facts facts{};
  std::optional<std::string> status{};  // JSON text: what its code says of itself
  std::vector<OpenTimer> timers{};      // by command
};

}  // namespace semel
