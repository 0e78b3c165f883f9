#include "domain/schedule/record.hpp"

#include "base/utf8.hpp"

namespace semel::domain {

bool put(ScheduleRecord& record, const ScheduleDraft& draft, const std::string& by, Time now) {
  const bool is_paused_anew = draft.paused && *draft.paused != record.paused;
  const bool is_restated = record.version == 0 || record.document != draft.document;
  if (!is_restated && !is_paused_anew) return false;
  if (record.version == 0) record.created_at = now;
  record.paused = draft.paused.value_or(record.paused);
  record.version += 1;
  if (!is_restated) return true;
  record.changed_at = now;
  record.changed_by = by;
  record.document = draft.document;
  record.handled = draft.handled;
  record.next = draft.next;
  return true;
}

bool set_paused(ScheduleRecord& record, bool paused) {
  if (record.paused == paused) return false;
  record.paused = paused;
  record.version += 1;
  return true;
}

void add(ScheduleRecord& record, const FiringRecord& firing, bool is_new) {
  record.last = firing;
  record.last->error = utf8_prefix(firing.error, limits::firing_error_bytes_max);
  if (firing.task) record.task = firing.task;
  record.counts.submitted += is_new ? 1 : 0;
  record.counts.skipped += firing.outcome == FiringOutcome::skipped ? 1 : 0;
  record.counts.refused += firing.outcome == FiringOutcome::refused ? 1 : 0;
}

}  // namespace semel::domain
