#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace semel::cli {

/// A part of a JSON text, as it was written: numbers stay what they are. Points into the text, which must outlive it.
/// What is not there is an empty view, and so are its parts.
class JsonView {
 public:
  JsonView() = default;
  /// Nothing when the text is not JSON.
  static JsonView parse(std::string_view text);

  bool exists() const { return !raw_.empty(); }
  std::string_view raw() const { return raw_; }
  /// A string without its escapes; anything else as written; "" when it is not there.
  std::string text() const;

  /// A member of an object.
  JsonView operator[](std::string_view name) const;
  std::vector<std::pair<std::string, JsonView>> members() const;
  std::vector<JsonView> elements() const;

 private:
  explicit JsonView(std::string_view raw) : raw_(raw) {}

  std::string_view raw_;
};

}  // namespace semel::cli
