#include "store/sqlite/zones.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string_view>

#include "store/common/texts.hpp"

namespace semel::store::sqlite {
namespace {

using Mark = ZoneFilter::Mark;

enum class What : std::uint8_t { queue = 1, handler, namespace_, name, label };

constexpr std::size_t bits_a_mark = 12;  // one of 300 that are not there may seem to be
constexpr int probes = 4;
constexpr std::size_t words_max = 1'024;

/// The last step of SplitMix64: every bit depends on every other.
Mark mixed(Mark value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

Mark mark_of(std::int64_t tenant_id, What what, std::string_view text) {
  const Mark owner = mixed(static_cast<Mark>(tenant_id) * 8 + static_cast<Mark>(what));
  return std::max<Mark>(1, mixed(std::hash<std::string_view>{}(text) ^ owner));  // 0 is no mark
}

/// The marks of many rows, most of which have what the ones before them had.
class Marks {
 public:
  void add(Mark mark) {
    Mark& place = seen_[mark % seen_.size()];
    if (place == mark) return;
    place = mark;
    all_.push_back(mark);
  }
  std::vector<Mark> take() {
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    return std::move(all_);
  }

 private:
  std::array<Mark, 512> seen_{};
  std::vector<Mark> all_;
};

/// Where the text in quotes that begins at `at` is over.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

/// Each label as it stands in the column: `"name":"value"`.
template <typename Each>
void each_label(std::string_view text, const Each& each) {
  std::size_t begin = 1;
  while (begin < text.size() && text[begin] == '"') {
    const std::size_t end = end_of_quoted(text, end_of_quoted(text, begin) + 1);
    each(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

ZoneFilter::ZoneFilter(const std::vector<Mark>& marks)
    : words_(std::min(std::bit_ceil(marks.size() * bits_a_mark / 64 + 1), words_max)) {
  const std::uint64_t bits = words_.size() * 64;
  for (const Mark mark : marks) {
    for (int i = 0; i < probes; ++i) {
      const std::uint64_t bit = (mark + static_cast<std::uint64_t>(i) * (mark >> 32 | 1)) % bits;
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
}

bool ZoneFilter::may_have(Mark mark) const {
  const std::uint64_t bits = words_.size() * 64;
  for (int i = 0; i < probes; ++i) {
    const std::uint64_t bit = (mark + static_cast<std::uint64_t>(i) * (mark >> 32 | 1)) % bits;
    if ((words_[bit / 64] >> (bit % 64) & 1) == 0) return false;
  }
  return true;
}

std::vector<Mark> marks_of(std::int64_t tenant_id, const ListQuery& wanted) {
  std::vector<Mark> marks;
  const auto add = [&](What what, const std::optional<std::string>& text) {
    if (text) marks.push_back(mark_of(tenant_id, what, *text));
  };
  add(What::queue, wanted.queue);
  add(What::handler, wanted.handler);
  add(What::namespace_, wanted.namespace_);
  add(What::name, wanted.name);
  for (const auto& label : wanted.labels) marks.push_back(mark_of(tenant_id, What::label, label_text(label)));
  return marks;
}

std::int64_t Zones::pass_over(std::int64_t before, const std::vector<Mark>& wanted) const {
  const std::lock_guard lock(mutex_);
  while (before > 1) {
    const std::int64_t begin = begin_of(before);
    const auto known = known_.find(begin);
    if (known == known_.end()) return before;
    const ZoneFilter& filter = known->second;
    if (std::ranges::all_of(wanted, [&](Mark mark) { return filter.may_have(mark); })) return before;
    before = begin;
  }
  return 1;
}

bool Zones::knows(std::int64_t begin) const {
  const std::lock_guard lock(mutex_);
  return known_.contains(begin);
}

bool Zones::has_room() const {
  const std::lock_guard lock(mutex_);
  return bytes_ < bytes_max;
}

void Zones::learn(Connection& connection, std::int64_t begin) {
  Scoped query = connection.use(
      "SELECT tenant_id, queue, handler, namespace, name, labels FROM executions NOT INDEXED"
      " WHERE seq >= ?1 AND seq < ?2");
  query->bind(1, begin).bind(2, begin + rows_);
  Marks marks;
  while (query->step()) {
    const std::int64_t tenant_id = query->integer(0);
    marks.add(mark_of(tenant_id, What::queue, query->view(1)));
    marks.add(mark_of(tenant_id, What::handler, query->view(2)));
    if (!query->is_null(3)) marks.add(mark_of(tenant_id, What::namespace_, query->view(3)));
    if (!query->is_null(4)) marks.add(mark_of(tenant_id, What::name, query->view(4)));
    if (query->is_null(5)) continue;
    each_label(query->view(5), [&](std::string_view label) { marks.add(mark_of(tenant_id, What::label, label)); });
  }
  ZoneFilter filter(marks.take());
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = filter.bytes();
  if (known_.emplace(begin, std::move(filter)).second) bytes_ += bytes;
}

}  // namespace semel::store::sqlite
