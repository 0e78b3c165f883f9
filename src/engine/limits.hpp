#pragma once
#include <cstddef>

#include "base/time.hpp"

/// What one request may ask for at most.
namespace semel::engine::limits {

inline constexpr Duration wait_max = 60s;
inline constexpr std::size_t batch_max = 1'000;
inline constexpr std::size_t leases_max = 1'000;
inline constexpr std::size_t pointers_max = 50;
inline constexpr std::size_t followers_max = 100;  // of one tenant
inline constexpr std::size_t counted_max = 10'000;
inline constexpr std::size_t counted_pages_max = 50;  // a page may be short
inline constexpr std::size_t searched_contexts_max = 20'000;
inline constexpr std::size_t searched_names_max = 50'000;
inline constexpr Duration search_max = 250ms;

}  // namespace semel::engine::limits
