#include <algorithm>

#include "store/memory/tables.hpp"

/// Attempts on their way to a target (DESIGN §5, ADR 0021).
namespace semel::store::memory {
namespace {

const domain::Attempt& attempt_of(const Record& record, const domain::Dispatch& dispatch) {
  return *std::find_if(record.attempts.begin(), record.attempts.end(),
                       [&](const domain::Attempt& each) { return each.id == dispatch.attempt_id; });
}

bool is_open(const Record& record, const domain::Dispatch& dispatch) {
  return attempt_of(record, dispatch).outcome == domain::AttemptOutcome::running;
}

bool is_asked_for(const DispatchQuery& query, const Record& record, const domain::Dispatch& dispatch) {
  if (record.execution.spec.tenant != query.tenant) return false;
  if (query.before && dispatch.attempt_id >= *query.before) return false;
  if (query.external_id) return dispatch.ids.external == *query.external_id;
  if (query.execution_id) return dispatch.execution_id == *query.execution_id;
  if (query.attempt_id) return dispatch.attempt_id == *query.attempt_id;
  return is_open(record, dispatch);
}

/// Where a dispatch is that will be sent again, or looked at.
struct DueDispatch {
  Record* record = nullptr;
  std::size_t place = 0;

  domain::Dispatch& dispatch() const { return record->dispatches[place]; }
  auto order() const { return std::pair(*dispatch().next_send_at, dispatch().attempt_id); }
};

std::vector<DueDispatch> due_dispatches(Tables& tables, std::size_t max, Time until) {
  std::vector<DueDispatch> due;
  for (auto& [id, record] : tables.executions) {
    for (std::size_t i = 0; i < record.dispatches.size(); ++i) {
      const std::optional<Time> next = record.dispatches[i].next_send_at;
      if (next && *next <= until) due.push_back({&record, i});
    }
  }
  std::sort(due.begin(), due.end(),
            [](const DueDispatch& left, const DueDispatch& right) { return left.order() < right.order(); });
  if (due.size() > max) due.resize(max);
  return due;
}

}  // namespace

domain::Dispatch* find_dispatch(Record& record, domain::AttemptId id) {
  const auto found = std::find_if(record.dispatches.begin(), record.dispatches.end(),
                                  [&](const domain::Dispatch& each) { return each.attempt_id == id; });
  return found == record.dispatches.end() ? nullptr : &*found;
}

Outcome apply(Tables& tables, const PostponeDispatch& postpone, Time now) {
  AttemptAnswer answer;
  const auto known = tables.attempts.find({postpone.tenant, postpone.attempt_id});
  if (known == tables.attempts.end()) return answer;
  Record& record = tables.executions.at({postpone.tenant, known->second});
  answer.execution_id = record.execution.spec.id;
  answer.state = record.execution.state;
  domain::Dispatch* const dispatch = find_dispatch(record, postpone.attempt_id);
  if (dispatch == nullptr || !is_open(record, *dispatch) || dispatch->state == domain::DispatchState::sent)
    return answer;
  if (dispatch->repair != postpone.repair) return answer;
  domain::postpone(*dispatch, postpone.is_ambiguous, now + postpone.pause, postpone.answer);
  if (!postpone.was_sent) count_no_send(*dispatch);
  answer.kind = AttemptAnswer::Kind::recorded;
  return answer;
}

Outcome apply(Tables& tables, const TakeDispatches& take, Time now) {
  Claimed taken;
  for (const DueDispatch& due : due_dispatches(tables, static_cast<std::size_t>(take.max), now + take.ahead)) {
    domain::Dispatch& dispatch = due.dispatch();
    dispatch.next_send_at.reset();
    if (!is_open(*due.record, dispatch)) continue;
    domain::take(dispatch, now, take.hold);
    taken.leases.push_back(lease_of(tables, *due.record, attempt_of(*due.record, dispatch)));
  }
  return taken;
}

Outcome apply(Tables& tables, const RepairDispatch& command, Time now) {
  Record* const record = find_record(tables, command.tenant, command.id);
  if (record == nullptr) return RepairAnswer{};
  if (record->dispatches.empty() || !is_open(*record, record->dispatches.back()))
    return RepairAnswer{RepairAnswer::Kind::not_open, std::nullopt};
  domain::Dispatch& dispatch = record->dispatches.back();
  if (dispatch.state != domain::DispatchState::sent) return RepairAnswer{RepairAnswer::Kind::not_sent, dispatch};
  repair(dispatch, record->execution.spec, now);
  record->attempts.back().lease_until = unaccepted_lease_end(record->execution, record->attempts.back(), now);
  note(tables, command.tenant, {0, now, command.by, "dispatch.repair", command.id.text()});
  return RepairAnswer{RepairAnswer::Kind::repaired, dispatch};
}

Outcome apply(Tables& tables, const KeepSecret& keep, Time) {
  return SecretKept{tables.secrets.emplace(keep.name, keep.proposed).first->second};
}

std::vector<StoredDispatch> dispatches(const Tables& tables, const DispatchQuery& query) {
  std::vector<StoredDispatch> found;
  for (const auto& [id, record] : tables.executions) {
    const domain::ExecutionSpec& spec = record.execution.spec;
    for (const domain::Dispatch& each : record.dispatches) {
      if (is_asked_for(query, record, each)) found.push_back({each, spec.queue, spec.handler, is_open(record, each)});
    }
  }
  std::sort(found.begin(), found.end(), [](const StoredDispatch& left, const StoredDispatch& right) {
    return left.dispatch.attempt_id > right.dispatch.attempt_id;
  });
  if (found.size() > query.limit) found.resize(query.limit);
  return found;
}

std::vector<DispatchDepth> dispatch_depths(const Tables& tables) {
  std::map<TenantAndQueue, DispatchDepth> depths;
  for (const auto& [id, record] : tables.executions) {
    const domain::ExecutionSpec& spec = record.execution.spec;
    for (const domain::Dispatch& each : record.dispatches) {
      if (!is_open(record, each)) continue;
      DispatchDepth& depth =
          depths.try_emplace({spec.tenant, spec.queue}, DispatchDepth{spec.tenant, spec.queue}).first->second;
      count(depth, each.state, 1);
    }
  }
  std::vector<DispatchDepth> listed;
  for (auto& [queue, depth] : depths) listed.push_back(std::move(depth));
  return listed;
}

std::optional<Time> next_dispatch(const Tables& tables) {
  std::optional<Time> soonest;
  for (const auto& [id, record] : tables.executions) {
    for (const domain::Dispatch& each : record.dispatches) {
      if (each.next_send_at) soonest = std::min(soonest.value_or(*each.next_send_at), *each.next_send_at);
    }
  }
  return soonest;
}

}  // namespace semel::store::memory
