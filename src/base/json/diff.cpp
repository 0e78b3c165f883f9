#include "base/json/diff.hpp"

#include "base/json/pointer.hpp"
#include "base/json/text.hpp"
#include "base/json/walk.hpp"

namespace semel::json {
namespace {

/// The members of an object, one at a time.
class Members {
 public:
  explicit Members(std::string_view object) : lexer_(object, 1) { next(); }

  bool ended() const { return ended_; }
  const std::string& key() const { return key_; }
  std::string_view value() const { return value_; }
  void next() {
    lexer_.take(',');
    ended_ = lexer_.peek() != '"';
    if (ended_) return;
    key_ = take_key(lexer_);
    value_ = take_value(lexer_);
  }

 private:
  Lexer lexer_;
  bool ended_ = false;
  std::string key_;
  std::string_view value_;
};

/// Which of two members that canonical order brings together comes first; an ended object's comes last.
int compare_keys(const Members& left, const Members& right) {
  if (left.ended()) return 1;
  if (right.ended()) return -1;
  return compare_utf16(left.key(), right.key());
}

/// The next element of an array; empty when it has ended.
std::string_view next_element(Lexer& lexer) {
  lexer.take(',');
  if (lexer.peek() == ']') return {};
  return take_value(lexer);
}

/// Compares value by value; recursion is bounded by the depth that canonicalize() allows.
class Differ {
 public:
  Differ(std::size_t max, std::string_view prefix) : max_(max), path_(prefix) {}

  void compare(std::string_view left, std::string_view right) {
    if (left == right || full()) return;
    if (left.starts_with('{') && right.starts_with('{')) {
      compare_objects(left, right);
    } else if (left.starts_with('[') && right.starts_with('[')) {
      compare_arrays(left, right);
    } else {
      found_.push_back(path_);
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  bool full() const { return found_.size() >= max_; }

  /// A missing value is empty text, which differs from any value.
  void compare_objects(std::string_view left_object, std::string_view right_object) {
    Members left(left_object);
    Members right(right_object);
    while (!full() && !(left.ended() && right.ended())) {
      const int order = compare_keys(left, right);
      const std::string& key = order <= 0 ? left.key() : right.key();
      compare_below(key, order <= 0 ? left.value() : "", order >= 0 ? right.value() : "");
      if (order <= 0) left.next();
      if (order >= 0) right.next();
    }
  }

  void compare_arrays(std::string_view left_array, std::string_view right_array) {
    Lexer left(left_array, 1);
    Lexer right(right_array, 1);
    for (std::size_t i = 0; !full(); ++i) {
      const std::string_view left_element = next_element(left);
      const std::string_view right_element = next_element(right);
      if (left_element.empty() && right_element.empty()) return;
      compare_below(std::to_string(i), left_element, right_element);
    }
  }

  void compare_below(std::string_view token, std::string_view left, std::string_view right) {
    if (left == right) return;
    const std::size_t length = path_.size();
    path_ += '/';
    path_ += escape_token(token);
    compare(left, right);
    path_.resize(length);
  }

  const std::size_t max_;
  std::string path_;  // of the values being compared
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> diff(std::string_view left, std::string_view right, std::size_t max, std::string_view prefix) {
  Differ differ(max, prefix);
  differ.compare(left, right);
  return differ.take();
}

}  // namespace semel::json
