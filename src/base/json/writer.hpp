#pragma once
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/text.hpp"

namespace semel::json {

/// Writes JSON front to back into a string. Texts that are JSON already (contexts, results) go in as they are, so that
/// their numbers stay what the caller wrote.
class Writer {
 public:
  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }

  Writer& key(std::string_view name) {
    comma();
    append_string(name, out_);
    out_ += ':';
    after_key_ = true;
    return *this;
  }

  Writer& string(std::string_view utf8) {
    comma();
    append_string(utf8, out_);
    return *this;
  }
  Writer& raw(std::string_view json) {
    comma();
    out_ += json;
    return *this;
  }
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  template <std::integral T>
  Writer& integer(T value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return raw({digits, static_cast<std::size_t>(end - digits)});
  }

  // A member with its value.
  Writer& string(std::string_view name, std::string_view utf8) { return key(name).string(utf8); }
  Writer& raw(std::string_view name, std::string_view json) { return key(name).raw(json); }
  Writer& boolean(std::string_view name, bool value) { return key(name).boolean(value); }
  template <std::integral T>
  Writer& integer(std::string_view name, T value) {
    return key(name).integer(value);
  }

  std::string take() { return std::move(out_); }
  const std::string& text() const { return out_; }

 private:
  Writer& open(char bracket) {
    comma();
    out_ += bracket;
    first_ = true;
    return *this;
  }
  Writer& close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }
  void comma() {
    if (!first_ && !after_key_) out_ += ',';
    first_ = false;
    after_key_ = false;
  }

  std::string out_;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace semel::json
