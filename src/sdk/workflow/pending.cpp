#include <stdexcept>

#include "sdk/workflow/abandoned.hpp"
#include "sdk/workflow/replay.hpp"
#include "semel/detail/cell.hpp"
#include "semel/detail/group.hpp"

// What coroutines do with cells and groups, behind the public headers.
namespace semel::detail {

PendingBase::PendingBase(CellPointer cell) : cell_(std::move(cell)) {}

PendingBase::PendingBase(PendingBase&& other) noexcept = default;

PendingBase& PendingBase::operator=(PendingBase&& other) noexcept {
  std::swap(cell_, other.cell_);
  return *this;
}

PendingBase::~PendingBase() {
  if (cell_) cell_->replay->drop(*cell_);
}

sdk::Cell& PendingBase::live() const {
  if (!cell_) throw std::logic_error("this Pending was moved away");
  return *cell_;
}

void PendingBase::cancel() { live().replay->cancel(cell_); }

std::string PendingBase::id() const { return live().replay->id_of(*cell_); }

CellAwaiter::~CellAwaiter() {
  if (is_waiting_) cell_->waiter = {};
}

bool CellAwaiter::await_ready() {
  cell_->replay->number_drafts();
  if (cell_->is_taken || cell_->waiter) throw std::logic_error("a Pending can be awaited once");
  return cell_->closing.has_value();
}

void CellAwaiter::suspend(std::coroutine_handle<> coroutine, Scheduler& scheduler) {
  cell_->waiter = coroutine;
  cell_->scheduler = &scheduler;
  is_waiting_ = true;
}

Closing CellAwaiter::take() {
  is_waiting_ = false;
  cell_->is_taken = true;
  return std::move(*cell_->closing);
}

void put_in_order(std::span<const CellPointer> cells) {
  for (const CellPointer& cell : cells) {
    if (cell) return cell->replay->put_in_order(cells);
  }
}

Group::Group(GroupEnd end, std::size_t size) : end_(end), members_(size) {}

void Group::begin(std::coroutine_handle<> parent, Scheduler& scheduler) {
  parent_ = parent;
  scheduler_ = &scheduler;
  for (Member& member : members_) member.group = this;
}

void Group::has_ended(const Member& member) {
  ++ended_;
  const bool wins =
      end_ == GroupEnd::first || (end_ == GroupEnd::first_success && member.is_success_of(member.routine));
  if (wins && !winner_) winner_ = static_cast<std::size_t>(&member - members_.data());
  if (is_over_ || (!winner_ && ended_ < members_.size())) return;
  is_over_ = true;
  scheduler_->ready_first(parent_);  // so that those which have lost take nothing more
}

}  // namespace semel::detail
