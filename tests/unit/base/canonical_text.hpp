#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/json/canonical.hpp"

namespace semel::json::test {

/// The canonical text, or the refusal in words, so that one EXPECT_EQ shows either.
inline std::string canonical(std::string_view text) {
  const Result<std::string> result = canonicalize(text);
  if (result) return *result;
  EXPECT_EQ(result.error().code, ErrorCode::bad_request);
  return "refused: " + result.error().message;
}

inline bool refused(std::string_view text) { return canonical(text).starts_with("refused: "); }

inline std::string repeat(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace semel::json::test
