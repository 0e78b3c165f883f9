#include "domain/schedule/cron_field.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace semel::domain {
namespace {

struct FieldKind {
  std::string_view name;
  int min;
  int max;
  int written_max;          // 7 is another Sunday
  std::string_view names;   // three letters each, the first for `min`
  std::string_view values;  // for messages

  bool is_circle() const { return !names.empty(); }
  int size() const { return max - min + 1; }
};

constexpr std::array<FieldKind, cron_field_count> field_kinds{{
    {"minute", 0, 59, 59, "", "0-59"},
    {"hour", 0, 23, 23, "", "0-23"},
    {"day of month", 1, 31, 31, "", "1-31"},
    {"month", 1, 12, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", "1-12 or JAN-DEC"},
    {"day of week", 0, 6, 7, "SUNMONTUEWEDTHUFRISAT", "0-7 or SUN-SAT"},
}};

const FieldKind& kind_of(CronField field) { return field_kinds[static_cast<std::size_t>(field)]; }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_word_character(char c) { return (c >= '0' && c <= '9') || (upper(c) >= 'A' && upper(c) <= 'Z'); }

std::string upper_word(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), upper);
  return text;
}

/// What other programs mean by a word or sign that this one does not know.
std::string_view dialect_of(const std::string& word) {
  const bool after_value =
      word.size() == 4 || (!word.empty() && word.front() >= '0' && word.front() <= '9');  // FRIL, 15W
  if (word == "?") return "'?' is not supported: write * for a field that does not matter";
  if (word == "#") return "'#' (the nth weekday of a month) is not supported";
  if (word == "H") return "'H' (a time chosen by a hash) is not supported: choose one yourself";
  if (word == "L" || word == "LW" || (after_value && word.ends_with('L'))) return "'L' (the last) is not supported";
  if (word == "W" || (after_value && word.ends_with('W'))) return "'W' (the nearest weekday) is not supported";
  return "";
}

/// Reads one field from left to right.
class FieldReader {
 public:
  FieldReader(CronField field, std::string_view text, std::size_t position)
      : field_(field), kind_(kind_of(field)), text_(text), position_(position) {}

  Result<CronValues> read() {
    CronValues values{0, CronValues::Form::listed};
    do {
      Result<void> added = read_element(values);
      if (!added) return pass_on(added.error());
    } while (skip(','));
    if (at_ < text_.size()) return refuse_sign();
    return values;
  }

 private:
  /// With `last` before `first` it goes round the end.
  struct Range {
    int first = 0;
    int last = 0;
    int step = 1;
    bool is_single = false;
  };

  Result<void> read_element(CronValues& values) {
    const std::size_t begin = at_;
    const bool star = skip('*');
    Result<Range> range = star ? Range{kind_.min, kind_.max} : read_range();
    if (!range) return pass_on(range.error());
    if (skip('/')) {
      const Result<int> step = read_step();
      if (!step) return pass_on(step.error());
      range->step = *step;
      if (range->is_single) range->last = kind_.max;
    }
    const bool every = star && range->step == 1;
    const bool in_list = begin > 0 || text_.substr(at_).starts_with(',');
    if (every && in_list) {
      return refuse_at(begin, "'*' already names every {}: leave out the rest of the list", kind_.name);
    }
    if (star) values.form = every ? CronValues::Form::every : CronValues::Form::stepped;
    add(values, *range);
    return {};
  }

  Result<Range> read_range() {
    const std::size_t begin = at_;
    const Result<int> first = read_value();
    if (!first) return pass_on(first.error());
    if (!skip('-')) return Range{*first, *first, 1, true};
    const Result<int> last = read_value();
    if (!last) return pass_on(last.error());
    if (*first <= *last || kind_.is_circle()) return Range{*first, *last};
    return refuse_at(begin, "the range {0}-{1} ends before it begins: write {0}-{2},{3}-{1}", *first, *last, kind_.max,
                     kind_.min);
  }

  Result<int> read_value() {
    const std::size_t begin = at_;
    const std::string word = take_word();
    if (word.empty()) return refuse_sign();
    if (const std::optional<int> number = number_in(word)) {
      if (*number > kind_.written_max) return refuse_at(begin, "{} is above {}", word, kind_.written_max);
      if (*number < kind_.min) return refuse_at(begin, "{} is below {}", word, kind_.min);
      return *number;
    }
    for (std::size_t i = 0; word.size() == 3 && i < kind_.names.size(); i += 3) {
      if (kind_.names.substr(i, 3) == word) return kind_.min + static_cast<int>(i / 3);
    }
    const std::string_view dialect = dialect_of(word);
    if (!dialect.empty()) return refuse_at(begin, "{}", dialect);
    return refuse_at(begin, "'{}' is not one of {}", word, kind_.values);
  }

  Result<int> read_step() {
    const std::size_t begin = at_;
    const std::string word = take_word();
    const std::optional<int> step = number_in(word);
    if (!step) return refuse_at(begin, "a number of 1 to {} must follow '/'", kind_.max - kind_.min);
    if (*step == 0) return refuse_at(begin, "the step must not be 0");
    if (*step >= kind_.size()) {
      return refuse_at(begin, "the step {} is too long for the {} values of a {}: name one value instead", word,
                       kind_.size(), kind_.name);
    }
    return *step;
  }

  void add(CronValues& values, const Range& range) const {
    const int last = range.last < range.first ? range.last + kind_.size() : range.last;
    for (int value = range.first; value <= last; value += range.step) {
      const int in_field = (value - kind_.min) % kind_.size() + kind_.min;
      values.bits |= std::uint64_t{1} << in_field;
    }
  }

  std::string take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return upper_word(text_.substr(begin, at_ - begin));
  }

  /// Too many digits are read as a number that is too large everywhere.
  static std::optional<int> number_in(const std::string& word) {
    if (word.empty() || !std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      return std::nullopt;
    }
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} ? number : 1'000'000;
  }

  bool skip(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  tl::unexpected<Error> refuse_sign() const {
    if (at_ == text_.size()) return refuse_at(at_, "a value of {} is missing", kind_.values);
    const std::string sign(1, text_[at_]);
    const std::string_view dialect = dialect_of(sign);
    if (!dialect.empty()) return refuse_at(at_, "{}", dialect);
    return refuse_at(at_, "'{}' is not expected here: a field is made of {}, and , - * /", sign, kind_.values);
  }

  template <typename... Args>
  tl::unexpected<Error> refuse_at(std::size_t at, fmt::format_string<Args...> text, Args&&... args) const {
    return bad_request("{} (field {}, character {}): {}", kind_.name, static_cast<int>(field_) + 1, position_ + at,
                       fmt::format(text, std::forward<Args>(args)...));
  }

  const CronField field_;
  const FieldKind& kind_;
  const std::string_view text_;
  const std::size_t position_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view name_of(CronField field) { return kind_of(field).name; }

Result<CronValues> parse_cron_field(CronField field, std::string_view text, std::size_t position) {
  return FieldReader(field, text, position).read();
}

}  // namespace semel::domain
