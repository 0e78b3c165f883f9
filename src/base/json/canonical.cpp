#include "base/json/canonical.hpp"

#include <algorithm>
#include <forward_list>
#include <vector>

#include "base/json/canonicalizer.hpp"
#include "base/json/number.hpp"
#include "base/json/skip.hpp"
#include "base/json/text.hpp"
#include "base/json/unescape.hpp"
#include "base/utf8.hpp"

namespace semel::json {
namespace {

/// A key for a message: quoted, and cut short between two characters.
std::string shown(std::string_view key) {
  constexpr std::size_t shown_bytes_max = 40;
  std::size_t length = 0;
  while (length < key.size()) {
    length += utf8_length(key.substr(length));
    if (length >= shown_bytes_max) break;
  }
  return quote(key.substr(0, length)) + (length < key.size() ? "…" : "");
}

/// Members are written as they are read, since most senders sort their keys or nearly so; an object whose
/// keys turn out to be unsorted is rearranged when it ends.
class Canonicalizer {
 public:
  Canonicalizer(Lexer& lexer, std::string& out) : lexer_(lexer), out_(out) {}

  bool value(int depth) {
    lexer_.skip_space();
    switch (lexer_.peek()) {
      case '"': return string();
      case '{': return object(depth + 1);
      case '[': return array(depth + 1);
      case 't':
      case 'f':
      case 'n': return literal();
      default: return number();
    }
  }

 private:
  struct Member {
    std::string_view key;    // decoded; lies in the text, or in decoded_keys_
    std::size_t key_offset;  // in the text
    std::size_t begin;       // of `"key":value` in out_
    std::size_t end;
  };

  static constexpr std::size_t members_guess = 16;

  static bool before(const Member& left, const Member& right) {
    const int order = compare_utf16(left.key, right.key);
    return order != 0 ? order < 0 : left.key_offset < right.key_offset;
  }

  bool string() {
    StringToken token;
    if (!lexer_.scan_string(token)) return false;
    if (token.escaped) {
      scratch_.clear();
      if (!unescape(lexer_, token, scratch_)) return false;
      append_string(scratch_, out_);
    } else {
      out_ += token.quoted();  // what is plain in the text is plain in canonical form too
    }
    return true;
  }

  bool literal() {
    const std::size_t begin = lexer_.position();
    if (!lexer_.scan_literal()) return false;
    out_ += lexer_.text_from(begin);
    return true;
  }

  bool number() {
    if (lexer_.type() != Type::number) return lexer_.unexpected("a value");
    const std::size_t begin = lexer_.position();
    std::string_view token;
    if (!lexer_.scan_number(token)) return false;
    const Result<void> appended = append_canonical_number(token, out_);
    return appended || lexer_.fail("{} at byte {}", appended.error().message, begin);
  }

  bool array(int depth) {
    if (!enter(depth, '[')) return false;
    if (!lexer_.take(']')) {
      do {
        if (!value(depth)) return false;
        out_ += ',';
        lexer_.skip_space();
      } while (lexer_.take(','));
      if (!lexer_.take(']')) return lexer_.unexpected("',' or ']'");
      out_.pop_back();
    }
    out_ += ']';
    return true;
  }

  bool object(int depth) {
    if (!enter(depth, '{')) return false;
    if (!lexer_.take('}')) {
      if (members_.capacity() == 0) members_.reserve(members_guess);
      const std::size_t first = members_.size();  // below are the members of the objects around this one
      do {
        if (!member(depth)) return false;
        out_ += ',';
        lexer_.skip_space();
      } while (lexer_.take(','));
      if (!lexer_.take('}')) return lexer_.unexpected("',' or '}'");
      if (!sort_members(first)) return false;
      members_.resize(first);
      out_.pop_back();
    }
    out_ += '}';
    return true;
  }

  bool enter(int depth, char bracket) {
    if (depth > limits::depth_max) {
      return lexer_.fail("more than {} nested arrays and objects at byte {}", limits::depth_max, lexer_.position());
    }
    lexer_.take(bracket);
    lexer_.skip_space();
    out_ += bracket;
    return true;
  }

  bool member(int depth) {
    StringToken token;
    lexer_.skip_space();
    Member member{{}, lexer_.position(), out_.size(), 0};
    if (!scan_key(lexer_, token)) return false;
    member.key = token.raw;
    if (token.escaped) {
      std::string& decoded = decoded_keys_.emplace_front();
      if (!unescape(lexer_, token, decoded)) return false;
      member.key = decoded;
      append_string(decoded, out_);
    } else {
      out_ += token.quoted();
    }
    out_ += ':';
    if (!value(depth)) return false;
    member.end = out_.size();
    members_.push_back(member);
    return true;
  }

  /// Puts the members from number `first` on into order, in out_ as well; fails on duplicate keys.
  bool sort_members(std::size_t first) {
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t out_begin = begin->begin;
    const auto not_before = [](const Member& left, const Member& right) {
      return compare_utf16(left.key, right.key) >= 0;
    };
    if (std::adjacent_find(begin, members_.end(), not_before) == members_.end()) return true;
    std::sort(begin, members_.end(), before);
    const auto duplicate = std::adjacent_find(begin, members_.end(), not_before);
    if (duplicate != members_.end()) {
      return lexer_.fail("duplicate key {} at byte {}", shown(duplicate->key), (duplicate + 1)->key_offset);
    }

    scratch_.assign(out_, out_begin);
    out_.resize(out_begin);
    for (auto member = begin; member != members_.end(); ++member) {
      out_.append(scratch_, member->begin - out_begin, member->end - member->begin);
      out_ += ',';
    }
    return true;
  }

  Lexer& lexer_;
  std::string& out_;
  std::vector<Member> members_;                  // of all objects that are open, innermost last
  std::forward_list<std::string> decoded_keys_;  // of keys that were written with escapes
  std::string scratch_;                          // free between two calls
};

}  // namespace

bool append_canonical(Lexer& lexer, std::string& out) { return Canonicalizer(lexer, out).value(0); }

Result<std::string> canonicalize(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Lexer lexer(text);
  if (!append_canonical(lexer, out)) return lexer.error();
  lexer.skip_space();
  if (!lexer.at_end()) return bad_request("unexpected data after the value, at byte {}", lexer.position());
  return out;
}

}  // namespace semel::json
