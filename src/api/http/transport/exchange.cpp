#include "api/http/transport/exchange.hpp"

#include <utility>

namespace semel::http {

Exchange::Exchange(std::weak_ptr<Conversation> conversation, std::uint64_t number)
    : conversation_(std::move(conversation)), number_(number) {}

Exchange::~Exchange() {
  if (answered_) return;
  if (const auto conversation = conversation_.lock()) conversation->answer_later(number_, std::nullopt);
}

void Exchange::respond(Response response) {
  std::function<void()> dropped;  // is destroyed after the lock: its captures may hold this exchange
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(answered_, true)) return;
    dropped.swap(on_gone_);
    if (in_handler_) {
      response_ = std::move(response);
      return;
    }
  }
  if (const auto conversation = conversation_.lock()) conversation->answer_later(number_, std::move(response));
}

void Exchange::on_gone(std::function<void()> callback) {
  bool is_late = false;
  {
    const std::scoped_lock lock(mutex_);
    if (answered_) return;
    is_late = gone_;
    if (!is_late) on_gone_.swap(callback);
    if (in_handler_) return;
  }
  if (is_late) return callback();
  if (const auto conversation = conversation_.lock()) conversation->watch_later(number_);
}

Exchange::Outcome Exchange::leave_handler() {
  const std::scoped_lock lock(mutex_);
  in_handler_ = false;
  return {std::exchange(response_, std::nullopt), on_gone_ != nullptr};
}

void Exchange::gone() {
  std::function<void()> callback;
  {
    const std::scoped_lock lock(mutex_);
    if (answered_ || std::exchange(gone_, true)) return;
    callback.swap(on_gone_);
  }
  if (callback) callback();
}

}  // namespace semel::http
