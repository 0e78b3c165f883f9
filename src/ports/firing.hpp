#pragma once
#include <variant>

#include "ports/command.hpp"

namespace semel {

/// A firing of which no task is made.
inline domain::FiringRecord recorded_only(const Firing& firing, Time now) {
  const auto outcome = firing.refusal.empty() ? domain::FiringOutcome::skipped : domain::FiringOutcome::refused;
  return {firing.nominal, now, outcome, std::nullopt, firing.refusal};
}

/// A firing whose task was submitted, with what that came to. When the firing has its task already, it is that one.
inline domain::FiringRecord recorded(const Firing& firing, const Outcome& submitted, Time now) {
  domain::FiringRecord record{firing.nominal, now, domain::FiringOutcome::submitted, std::nullopt, {}};
  if (const auto* rejected = std::get_if<Rejected>(&submitted)) {
    record.outcome = domain::FiringOutcome::refused;
    record.error = rejected->error.message;
    return record;
  }
  const auto* created = std::get_if<Created>(&submitted);
  record.task = created != nullptr ? created->id : std::get<Held>(submitted).holder.id;
  if (firing.cancels && firing.cancels != record.task) record.outcome = domain::FiringOutcome::cancelled_previous;
  return record;
}

/// The refusal of one schedule too many.
inline Error too_many_schedules() {
  return {ErrorCode::tenant_limit,
          fmt::format("there are {} schedules, and more are not allowed: remove one", domain::limits::schedules_max)};
}

}  // namespace semel
