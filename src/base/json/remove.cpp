#include <algorithm>

#include "base/json/pointer.hpp"
#include "base/json/text.hpp"
#include "base/json/walk.hpp"

namespace semel::json {
namespace {

/// Where a member, with its key, lies in the text.
struct Range {
  std::size_t begin;
  std::size_t end;
};

/// The member that the pointer leads to; nothing when there is none.
Result<std::optional<Range>> locate(std::string_view canonical, const Pointer& pointer) {
  if (pointer.tokens().empty()) return bad_request("the pointer \"\" is the whole value, which cannot be removed");
  Lexer lexer(canonical);
  std::size_t begin = 0;
  for (const std::string& token : pointer.tokens()) {
    if (lexer.peek() == '[' && enter_element(lexer, token)) {
      return bad_request("the pointer {} leads into an array; only members of objects can be removed",
                         quote(pointer.text()));
    }
    if (lexer.peek() != '{') return std::nullopt;
    const std::optional<std::size_t> member = enter_member(lexer, token);
    if (!member) return std::nullopt;
    begin = *member;
  }
  take_value(lexer);
  return Range{begin, lexer.position()};
}

/// Copies the text without the ranges, which are in order; one that lies in the range before is already gone.
std::string without(std::string_view canonical, std::span<const Range> ranges) {
  std::string out;
  out.reserve(canonical.size());
  std::size_t copied = 0;
  for (const Range& range : ranges) {
    if (range.begin < copied) continue;
    out.append(canonical.substr(copied, range.begin - copied));
    copied = range.end;
    // One comma goes with the member: the next one, or for an object's last member the one before.
    if (canonical[copied] == ',') {
      ++copied;
    } else if (out.back() == ',') {
      out.pop_back();
    }
  }
  out.append(canonical.substr(copied));
  return out;
}

}  // namespace

// All pointers are judged by the value as it came, so their order does not matter.
Result<std::string> remove(std::string_view canonical, std::span<const Pointer> pointers) {
  std::vector<Range> ranges;
  for (const Pointer& pointer : pointers) {
    Result<std::optional<Range>> range = locate(canonical, pointer);
    if (!range) return pass_on(std::move(range).error());
    if (*range) ranges.push_back(**range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& left, const Range& right) { return left.begin < right.begin; });
  return without(canonical, ranges);
}

}  // namespace semel::json
