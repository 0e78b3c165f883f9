#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/error.hpp"

namespace semel::json {

namespace limits {
inline constexpr std::size_t schema_bytes_max = 64 << 10;
}  // namespace limits

struct SchemaNode;

/// A JSON Schema (draft 7), ready to check values with. Numbers are compared by their exact decimal values. It is
/// stricter than the standard in what it takes: keywords that it does not know, formats that it does not check, and
/// references that go round in a circle or out of the document are refused, since a rule that is accepted and not kept
/// is worse than none. Patterns are RE2's, so that no pattern and no value can take exponential time.
class Schema {
 public:
  /// What is wrong with a schema, and where in it.
  struct Fault {
    std::string pointer{};
    std::string what{};

    bool operator==(const Fault&) const = default;
  };
  /// `canonical` is what canonicalize() made.
  static tl::expected<Schema, Fault> compile(std::string_view canonical);

  /// Up to `max` places where the canonical value does not fit, in document order; none when it fits.
  std::vector<Violation> check(std::string_view canonical, std::size_t max) const;

 private:
  std::shared_ptr<const std::vector<SchemaNode>> nodes_;  // the first is the root
};

}  // namespace semel::json
