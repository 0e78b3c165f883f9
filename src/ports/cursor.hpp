#pragma once
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace semel {

/// The cursor of a list of tasks: in every store the number of a row, from 1 on, so that a copied store understands the
/// cursors of its original.
inline Result<std::int64_t> read_cursor(std::string_view text) {
  std::int64_t seq = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seq);
  if (error == std::errc{} && end == text.data() + text.size() && seq >= 1) return seq;
  return bad_request("this is no cursor; send the next_cursor of the page before");
}

}  // namespace semel
