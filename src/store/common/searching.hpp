#pragma once
#include <functional>
#include <optional>
#include <utility>

#include "ports/list.hpp"

namespace semel::store {

/// How far the search of one page has come: what it found is for the caller to keep.
class Searching {
 public:
  /// Nothing when the query does not search.
  static std::optional<Searching> begin(const ListQuery& query, std::function<Time()> now) {
    if (query.search) return Searching(query.search->contexts_max, query.search->until, search_step, std::move(now));
    if (!query.named) return std::nullopt;
    // One task may have had a timer at each second of a day.
    const std::size_t step = domain::is_timer_id(query.named->wanted.external_id) ? 1 : search_step;
    return Searching(query.named->executions_max, query.named->until, step, std::move(now));
  }

  void look_at(const domain::Execution& execution) {
    looked_at_ += 1;
    looked_back_to_ = execution.created_at;
  }

  /// Whether the page has to end here. The clock is asked now and then only.
  bool is_over() const {
    if (looked_at_ >= looked_at_max_) return true;
    return looked_at_ > 0 && looked_at_ % step_ == 0 && now_() >= until_;
  }

  void tell(Page& page) const {
    page.looked_at = looked_at_;
    page.looked_back_to = looked_back_to_;
  }

 private:
  Searching(std::size_t looked_at_max, Time until, std::size_t step, std::function<Time()> now)
      : looked_at_max_(looked_at_max), until_(until), step_(step), now_(std::move(now)) {}

  std::size_t looked_at_max_;
  Time until_;
  std::size_t step_;  // the clock is asked after so many
  std::function<Time()> now_;
  std::size_t looked_at_ = 0;
  std::optional<Time> looked_back_to_{};
};

}  // namespace semel::store
