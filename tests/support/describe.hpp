#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ports/store.hpp"

/// Writes what a store answers as text with every field in it, so that tests can compare two stores, or a
/// store with itself after it was opened again, and a difference is readable.
namespace semel::test {

std::string describe(Time time);
std::string describe(const Uuid& uuid);
std::string describe(const Hash32& hash);
std::string describe(bool value);
std::string describe(domain::State state);
/// Long texts are shown by length and digest: two that differ anywhere still differ here.
std::string describe(const std::string& text);
std::string describe(const domain::StepOf& step);
std::string describe(const domain::Upstream& upstream);
std::string describe(const domain::StepInput& input);
std::string describe(const HistoryEntry& entry);
std::string describe(const Activation& activation);
std::string describe(const StoredWorkflow& workflow);
std::string describe(const domain::StepOutcome& outcome);
std::string describe(const StoredRun& run);
std::string describe(const domain::Window& window);
std::string describe(const domain::NamedTask& task);
std::string describe(const domain::Identity& identity);
std::string describe(const domain::ExecutionSpec& spec);
std::string describe(const domain::Execution& execution);
std::string describe(const domain::Holder& holder);
std::string describe(const domain::Attempt& attempt);
std::string describe(const StoredTemplate& stored);
std::string describe(const DuplicateTally& tally);
std::string describe(const Created& created);
std::string describe(const Held& held);
std::string describe(const domain::Dispatch& dispatch);
std::string describe(const Claimed& claimed);
std::string describe(const AttemptAnswer& answer);
std::string describe(const CancelAnswer& answer);
std::string describe(const GivenBack& back);
std::string describe(const ReopenAnswer& answer);
std::string describe(const RunAnswer& answer);
std::string describe(const SignalAnswer& answer);
std::string describe(const SettleAnswer& answer);
std::string describe(const LeasesExpired& expired);
std::string describe(const Change& change);
std::string describe(const Ready& ready);
std::string describe(const QueueDepth& depth);
std::string describe(const Promoted& promoted);
std::string describe(const Removed& removed);
std::string describe(const Swept& swept);
std::string describe(const Released& released);
std::string describe(const TemplateStored& stored);
std::string describe(const TemplateRemoved& removed);
std::string describe(const domain::QueueOptions& options);
std::string describe(const StoredQueue& queue);
std::string describe(const QueueStored& stored);
std::string describe(const QueueDefaultsSet&);
std::string describe(const domain::FiringRecord& firing);
std::string describe(const domain::ScheduleRecord& schedule);
std::string describe(const ScheduleStored& stored);
std::string describe(const ScheduleRemoved& removed);
std::string describe(const ScheduleAdvanced& advanced);
std::string describe(const DuplicatesRecorded&);
std::string describe(const domain::ApiKey& key);
std::string describe(const KeyCreated& created);
std::string describe(const KeyRevoked& revoked);
std::string describe(const Rejected& rejected);
std::string describe(const RepairAnswer& repaired);
std::string describe(const SecretKept& kept);
std::string describe(const StoredDispatch& stored);
std::string describe(const DispatchDepth& depth);
std::string describe(const Postponed& postponed);
std::string describe(const Outcome& outcome);

template <typename Tag>
std::string describe(const domain::Id<Tag>& id) {
  return id.text();
}

// Below all others, or they would not find them.
template <typename T>
std::string describe(const std::optional<T>& value) {
  return value ? describe(*value) : "-";
}

template <typename T>
std::string describe_all(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += describe(value) + "\n";
  return text;
}

}  // namespace semel::test
