#pragma once
#include <functional>
#include <optional>

#include "domain/workflow/code/workflow.hpp"
#include "domain/workflow/run.hpp"
#include "store/sqlite/batch.hpp"

/// How tasks of runs, and what code workflows begin, enter their queues, get their keys, and what becomes of those
/// whose key another has (DESIGN §3.6).
namespace semel::store::sqlite {

/// How a child enters its queue.
struct ChildEntry {
  domain::State state = domain::State::pending;
  Phase phase = Phase::neither;
  bool superseded = false;                           // it does not hold its identity
  std::optional<domain::ExecutionId> previous{};     // from whom it has the identity
  std::optional<domain::ExecutionId> attached_to{};  // for whom it waits
  std::optional<domain::ExecutionId> apart_from{};   // who holds the key without which it is made
  std::optional<domain::TaskOutcome> outcome{};      // what it came to at once
};

/// Looks who holds the key, and takes it where that may be. Nothing is written about the child itself.
ChildEntry enter_child(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& child, Time run_at,
                       domain::code::KeyConflict on_conflict = domain::code::KeyConflict::attach);

/// Adds to the history of the child's run.
using AddEvent = std::function<void(const domain::HistoryEvent& event)>;

/// What an entry does beside the child's own row.
void settle_entry(Batch& batch, std::int64_t tenant_id, const domain::ExecutionSpec& child, const ChildEntry& entry,
                  const AddEvent& add_event);
/// Writes the entry of a child that is open.
void write_entry(Batch& batch, std::int64_t tenant_id, const ExecutionRow& child, const ChildEntry& entry,
                 const AddEvent& add_event);
/// A child that was attached to another goes on by itself.
void resume_child(Batch& batch, std::int64_t tenant_id, ExecutionRow& child, const AddEvent& add_event);
/// Closes a child that nobody works on.
void close_child(Batch& batch, std::int64_t tenant_id, const ExecutionRow& child, const domain::TaskOutcome& outcome);

/// When something happens by itself to a child that has just entered.
std::optional<Time> timer_of(const ChildEntry& entry, Time run_at, std::optional<Time> deadline);

void insert_history(Batch& batch, std::int64_t tenant_id, domain::ExecutionId run, std::int64_t sequence,
                    const domain::HistoryEvent& event);

/// The child waits for nobody any more.
void detach(Batch& batch, std::int64_t tenant_id, domain::ExecutionId child);

}  // namespace semel::store::sqlite
