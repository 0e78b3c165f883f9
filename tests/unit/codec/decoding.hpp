#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "api/codec/submission.hpp"

namespace semel::codec::test {

/// The body of an ad-hoc submission with one more member.
inline std::string ad_hoc(const std::string& member) { return R"({"handler":"send_mail",)" + member + "}"; }

inline domain::Submission decoded(std::string_view body, const std::optional<std::string>& header_key = std::nullopt) {
  Result<domain::Submission> submission = decode_submission(body, header_key);
  EXPECT_TRUE(submission) << submission.error().message;
  return submission ? *std::move(submission) : domain::Submission{};
}

/// The refusal's message; empty when there is none.
template <typename T>
std::string refusal_of(const Result<T>& result) {
  return result ? std::string() : result.error().message;
}

}  // namespace semel::codec::test
