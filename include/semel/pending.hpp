#pragma once
#include <utility>

#include "semel/detail/cell.hpp"
#include "semel/settled.hpp"

namespace semel {

namespace detail {

template <typename T>
struct Taken {
  static T from(const Closing& closing) { return unwrap<T>(closing); }
};
template <typename T>
struct Taken<Settled<T>> {
  static Settled<T> from(const Closing& closing) { return Settled<T>::from(closing); }
};

template <typename T>
class PendingAwaiter : public CellAwaiter {
 public:
  using CellAwaiter::CellAwaiter;
  T await_resume() { return Taken<T>::from(take()); }
};

}  // namespace detail

/// Something that a workflow has begun and not yet waited for: a task, a timer, a promise, a signal, a child. It is
/// begun where it is made, so that two of them run at the same time:
///
///   semel::Pending<Receipt> charge = ctx.task<Receipt>("charge", order);
///   semel::Pending<void> mail = ctx.task<void>("mail", order);
///   Receipt receipt = co_await charge;
///   co_await mail;
///
/// It may be awaited once. Dropping it does not stop it: cancel() does.
template <typename T = void>
class [[nodiscard]] Pending : public detail::PendingBase {
 public:
  using Value = T;
  using detail::PendingBase::PendingBase;

  detail::PendingAwaiter<T> operator co_await() const { return detail::PendingAwaiter<T>(live()); }

  /// The same, with a failure as a value instead of an exception.
  Pending<Settled<T>> settled() && { return Pending<Settled<T>>(std::move(cell_)); }
};

}  // namespace semel
