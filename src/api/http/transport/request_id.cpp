#include "api/http/transport/request_id.hpp"

#include <algorithm>

namespace semel::http {
namespace {

constexpr std::size_t client_id_chars_max = 128;

bool is_id_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/// The finisher of SplitMix64: a bijection in which each bit of the input changes half of the output.
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace

bool is_sane_request_id(std::string_view text) {
  return !text.empty() && text.size() <= client_id_chars_max && std::all_of(text.begin(), text.end(), is_id_char);
}

std::string RequestIds::next() {
  std::uint64_t value = scramble(salt_ + count_.fetch_add(1, std::memory_order_relaxed));
  std::string text(16, '0');
  for (std::size_t at = text.size(); at > 0; --at, value >>= 4) text[at - 1] = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace semel::http
