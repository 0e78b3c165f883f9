#include "store/memory/tables.hpp"

/// How promises are settled (ADR 0018).
namespace semel::store::memory {
namespace {

/// By its id, or whoever holds its key.
std::optional<Held> find_promise(Tables& tables, const SettlePromise& settle) {
  std::optional<Held> found;
  if (const auto* key = std::get_if<std::string>(&settle.promise)) {
    found = holder_of_hash(tables, settle.tenant, domain::code::hash_of_key(settle.tenant, *key));
  } else if (const Record* record = find_record(tables, settle.tenant, std::get<domain::ExecutionId>(settle.promise))) {
    found = Held{holder_of(record->execution), record->execution, true};
  }
  if (found && found->holder.kind != domain::Kind::promise) found.reset();
  return found;
}

}  // namespace

Outcome apply(Tables& tables, const SettlePromise& settle, Time now) {
  const std::optional<Held> found = find_promise(tables, settle);
  if (!found) return SettleAnswer{};
  const domain::Event event = settle.resolves ? domain::Event::resolved : domain::Event::rejected;
  const std::optional<domain::State> state = next(found->holder.state, event);
  if (!state) return SettleAnswer{SettleAnswer::Kind::already_settled, found->holder.id, found->holder.state};
  Record& promise = tables.executions.at({settle.tenant, found->holder.id});
  promise.execution.state = *state;
  promise.execution.closed_at = now;
  (settle.resolves ? promise.execution.result : promise.execution.error) = settle.value;
  tell(tables, promise);
  has_closed(tables, promise);
  return SettleAnswer{SettleAnswer::Kind::settled, found->holder.id, *state};
}

}  // namespace semel::store::memory
