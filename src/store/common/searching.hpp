#pragma once
#include <functional>

#include "ports/list.hpp"

namespace semel::store {

/// How far the search of one page has come: what it found is for the caller to keep.
class Searching {
 public:
  Searching(const ContextSearch& search, std::function<Time()> now) : search_(search), now_(std::move(now)) {}

  /// Whether the context has the text.
  bool look_at(std::string_view context) {
    looked_at_ += 1;
    return domain::has_text(context, search_.wanted);
  }

  /// Whether the page has to end here. The clock is asked now and then only.
  bool is_over() const {
    if (looked_at_ >= search_.contexts_max) return true;
    return looked_at_ > 0 && looked_at_ % search_step == 0 && now_() >= search_.until;
  }

 private:
  const ContextSearch& search_;
  const std::function<Time()> now_;
  std::size_t looked_at_ = 0;
};

}  // namespace semel::store
