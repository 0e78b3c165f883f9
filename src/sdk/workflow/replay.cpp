#include "sdk/workflow/replay.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "domain/workflow/step_id.hpp"
#include "sdk/workflow/abandoned.hpp"

namespace semel::sdk {
namespace {

/// What is compared with the history.
struct OrderName {
  Asked asked;
  std::string name;
};

OrderName name_of_order(const Order& order) {
  struct Visitor {
    OrderName operator()(const ScheduleTask& task) const { return {Asked::task, task.handler}; }
    OrderName operator()(const StartTimer&) const { return {Asked::timer, {}}; }
    OrderName operator()(const StartChild& child) const { return {Asked::child, child.kind}; }
    OrderName operator()(const MakePromise& promise) const { return {Asked::promise, promise.key.value_or("")}; }
    OrderName operator()(const Record& record) const { return {Asked::marker, record.name}; }
    OrderName operator()(const CancelWhat&) const { return {Asked::cancel, {}}; }
  };
  return std::visit(Visitor{}, order);
}

}  // namespace

Replay::Replay(WorkflowIdentity identity, detail::Scheduler& scheduler)
    : identity_(std::move(identity)), scheduler_(scheduler) {}

// ---- what is begun

detail::CellPointer Replay::begin(Order order) {
  auto cell = std::make_shared<Cell>(*this);
  cell->is_timer = std::holds_alternative<StartTimer>(order);
  if (is_over()) return cell;  // never ends, and nobody asks
  expect_outside_run();
  drafts_.push_back({cell, std::move(order)});
  return cell;
}

detail::CellPointer Replay::receive(std::string_view name) {
  auto cell = std::make_shared<Cell>(*this);
  cell->name = name;
  cell->is_signal = true;
  if (is_over()) return cell;
  expect_outside_run();
  drafts_.push_back({cell, Order{}});
  return cell;
}

/// The arguments stand where the first of them stood, in their own order.
void Replay::put_in_order(std::span<const detail::CellPointer> cells) {
  const auto is_argument = [&](const Draft& draft) {
    return std::find(cells.begin(), cells.end(), draft.cell) != cells.end();
  };
  const auto first = std::find_if(drafts_.begin(), drafts_.end(), is_argument);
  const auto place = first - drafts_.begin();
  std::vector<Draft> ordered;
  for (const detail::CellPointer& cell : cells) {
    const auto found = std::find_if(first, drafts_.end(), [&](const Draft& draft) { return draft.cell == cell; });
    if (found != drafts_.end()) ordered.push_back(*found);
  }
  std::erase_if(drafts_, is_argument);
  drafts_.insert(drafts_.begin() + place, std::make_move_iterator(ordered.begin()),
                 std::make_move_iterator(ordered.end()));
}

void Replay::cancel(const detail::CellPointer& cell) {
  if (is_over() || cell->closing) return;
  if (cell->is_signal) throw std::logic_error("a signal cannot be cancelled: drop its Pending");
  expect_outside_run();
  number_drafts();
  issue(CancelWhat{cell->number});
  if (!cell->is_timer) return;  // all others say themselves how they ended
  cells_.erase(cell->number);
  cell->settle({Status::cancelled, std::nullopt, error_text("cancelled", "the timer was cancelled")});
}

std::string Replay::id_of(const Cell& cell) {
  if (cell.is_timer || cell.is_signal) throw std::logic_error("timers and signals have no id");
  if (is_over()) return {};
  number_drafts();
  const auto run = domain::ExecutionId::parse(identity_.execution_id);
  if (!run) throw std::logic_error("the id of the workflow is no UUID");
  return domain::step_execution_id(*run, "#" + std::to_string(cell.number)).text();
}

void Replay::drop(Cell& cell) noexcept {
  if (is_dead_ || !cell.is_signal) return;
  const auto is_it = [&](const detail::CellPointer& each) { return each.get() == &cell; };
  std::erase_if(drafts_, [&](const Draft& draft) { return is_it(draft.cell); });
  Signals& signals = signals_[cell.name];
  std::erase_if(signals.waiting, is_it);
  if (!cell.closing || cell.is_taken) return;
  // It was handed out, and nobody has taken it: it is the next one again.
  const auto later = std::find_if(signals.arrived.begin(), signals.arrived.end(),
                                  [&](const Arrived& each) { return each.sequence > cell.arrived; });
  signals.arrived.insert(later, {cell.arrived, *cell.closing->result});
  hand_out(signals);
}

void Replay::hand_out(Signals& signals) {
  std::erase_if(signals.handed_out, [](const std::weak_ptr<Cell>& each) {
    const detail::CellPointer cell = each.lock();
    return !cell || cell->is_taken;
  });
  while (!signals.arrived.empty() && !signals.waiting.empty()) {
    const detail::CellPointer cell = signals.waiting.front();
    signals.waiting.pop_front();
    signals.handed_out.push_back(cell);
    cell->arrived = signals.arrived.front().sequence;
    cell->settle({Status::completed, std::move(signals.arrived.front().value), {}});
    signals.arrived.pop_front();
  }
}

// ---- numbers

void Replay::number_drafts() {
  if (is_over()) throw Abandoned();
  for (Draft& draft : std::exchange(drafts_, {})) {
    if (draft.cell->is_signal) {
      Signals& signals = signals_[draft.cell->name];
      signals.waiting.push_back(draft.cell);
      hand_out(signals);
      continue;
    }
    const std::uint64_t number = issue(std::move(draft.order));
    draft.cell->number = number;
    cells_.emplace(number, std::move(draft.cell));
  }
}

std::uint64_t Replay::issue(Order order) {
  const OrderName name = name_of_order(order);
  const bool is_there = take_recorded(name.asked, name.name).has_value();
  const std::uint64_t number = next_++;
  if (!is_there && number > known_) fresh_.push_back({number, std::move(order)});
  return number;
}

std::optional<Replay::Known> Replay::take_recorded(Asked asked, std::string_view name) {
  const auto found = recorded_.find(next_);
  if (found == recorded_.end()) return std::nullopt;
  Known known = std::move(found->second);
  recorded_.erase(found);
  const bool has_same_name = known.name == name || (asked == Asked::promise && known.name.empty());
  if (known.asked == asked && has_same_name) return known;
  abandon("nondeterminism", fmt::format("command {}: the history has {}, the code asks for {}", next_,
                                        describe(known.asked, known.name), describe(asked, name)));
}

// ---- ends

void Replay::expect_outside_run() const {
  if (is_in_run_) throw std::logic_error("the function of ctx.run() may not use the context");
}

void Replay::fail(std::string_view type, const std::string& message) {
  if (!fault_) fault_ = error_text(type, message);
  scheduler_.stop();
}

void Replay::abandon(std::string_view type, const std::string& message) {
  fail(type, message);
  throw Abandoned();
}

void Replay::continue_with(std::string input) {
  expect_outside_run();
  number_drafts();
  continuation_ = ContinueWith{std::move(input), {}};
  std::map<std::uint64_t, UnreadSignal> unread;  // in the order in which they came
  for (auto& [name, signals] : signals_) {
    for (Arrived& each : signals.arrived) unread[each.sequence] = {name, std::move(each.value)};
    for (const std::weak_ptr<Cell>& each : signals.handed_out) {
      const detail::CellPointer cell = each.lock();
      if (cell && !cell->is_taken) unread[cell->arrived] = {name, *cell->closing->result};
    }
  }
  for (auto& [sequence, signal] : unread) continuation_->signals.push_back(std::move(signal));
  scheduler_.stop();
  throw Abandoned();
}

}  // namespace semel::sdk
