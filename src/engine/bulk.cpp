#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "domain/workflow/code/workflow.hpp"
#include "engine/engine.hpp"
#include "engine/search.hpp"

namespace semel::engine {
namespace {

using domain::Permission;
using domain::State;

struct Rules {
  Permission permission;
  std::vector<State> usual;     // the states that are meant when none is named
  std::vector<State> possible;  // all that make sense
  std::string_view verb;
};

Rules rules_of(BulkAct act) {
  const std::vector<State> open{State::pending, State::running, State::suspended};
  const std::vector<State> dead{State::failed, State::timed_out};
  const std::vector<State> closed{State::completed, State::failed, State::cancelled, State::timed_out};
  switch (act) {
    case BulkAct::cancel: return {Permission::tasks_cancel, open, open, "cancelled"};
    case BulkAct::retry:
      return {Permission::tasks_create, dead, {State::failed, State::cancelled, State::timed_out}, "tried again"};
    case BulkAct::remove: break;
  }
  return {Permission::admin, closed, closed, "deleted"};
}

bool contains(const std::vector<State>& states, State state) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

Result<void> choose_states(ListQuery& query, const Rules& rules) {
  for (const State state : query.states) {
    if (!contains(rules.possible, state))
      return bad_request("tasks that are {} cannot be {}", domain::name_of(state), rules.verb);
  }
  if (query.states.empty()) query.states = rules.usual;
  return {};
}

Command command_for(BulkAct act, const domain::Principal& principal, domain::ExecutionId id) {
  switch (act) {
    case BulkAct::cancel: return Cancel{principal.tenant, id, false, principal.key_id};
    case BulkAct::retry: return Reopen{principal.tenant, id, principal.key_id};
    case BulkAct::remove: break;
  }
  return Remove{principal.tenant, id};
}

/// Whether it is of a kind that this can be done to, whatever its state: what never can is not counted as meant.
/// Promises and code are not tried again, and what belongs to a run is removed with it.
bool can_be_done(BulkAct act, const domain::ExecutionSpec& spec) {
  switch (act) {
    case BulkAct::cancel: return true;
    case BulkAct::retry: return domain::code::refusal_of_retry(spec) == nullptr;
    case BulkAct::remove: break;
  }
  return !spec.step;
}

/// False when the task was not what it was when it was listed, or another has its identity.
bool was_done(const Outcome& outcome) {
  if (const auto* cancelled = std::get_if<CancelAnswer>(&outcome))
    return cancelled->kind == CancelAnswer::Kind::cancelled || cancelled->kind == CancelAnswer::Kind::requested;
  if (const auto* reopened = std::get_if<ReopenAnswer>(&outcome)) return reopened->kind == ReopenAnswer::Kind::reopened;
  if (const auto* removed = std::get_if<Removed>(&outcome))
    return removed->kind == Removed::Kind::removed || removed->kind == Removed::Kind::left_tombstone;
  return false;
}

/// What is told when the last of the commands is answered.
struct BulkTally {
  BulkAnswer answer;
  std::atomic<std::size_t> done = 0;
  std::mutex mutex;            // guards what follows
  std::optional<Error> error;  // of what was not done, the gravest
};

/// Whether the others were done is not known to who hears "nothing was changed": that is told only where it is true.
Error told(const BulkTally& tally) {
  Error error = *tally.error;
  const std::size_t done = tally.done;
  if (done > 0)
    error.message = fmt::format("{} of {} were done; of the others: {}", done, tally.answer.matched, error.message);
  return error;
}

void failed(BulkTally& tally, const Error& error) {
  const std::lock_guard lock(tally.mutex);
  if (!tally.error || error.code == ErrorCode::outcome_unknown) tally.error = error;
}

}  // namespace

void Engine::bulk(const domain::Principal& principal, BulkAct act, bool dry_run, ListQuery query,
                  Answer<Result<BulkAnswer>> answer) {
  const Rules rules = rules_of(act);
  for (const Permission permission : {Permission::tasks_read, rules.permission}) {
    if (Result<void> allowed = require(principal, permission); !allowed) return answer(pass_on(allowed.error()));
  }
  if (Result<void> chosen = choose_states(query, rules); !chosen) return answer(pass_on(chosen.error()));
  query.tenant = principal.tenant;
  bound_search(query, store_.now());
  Result<Page> page = store_.list(query);
  if (!page) return answer(pass_on(page.error()));
  std::erase_if(page->executions,
                [act](const domain::Execution& execution) { return !can_be_done(act, execution.spec); });

  const auto tally = std::make_shared<BulkTally>();
  tally->answer.matched = page->executions.size();
  tally->answer.next = std::move(page->next);
  const std::shared_ptr<void> over(nullptr, [tally, answer = std::move(answer)](void*) {
    tally->answer.done = tally->done;
    if (tally->error) answer(pass_on(told(*tally)));
    else answer(std::move(tally->answer));
  });
  if (dry_run) return;
  std::vector<CommitQueue::Entry> entries;
  for (const domain::Execution& execution : page->executions) {
    entries.push_back({command_for(act, principal, execution.spec.id), [tally, over](const Committed& committed) {
                         if (!committed.outcome) failed(*tally, committed.outcome.error());
                         else if (was_done(*committed.outcome)) tally->done += 1;
                       }});
  }
  if (!entries.empty() && !commits_.push(std::move(entries))) failed(*tally, overloaded());
}

}  // namespace semel::engine
