#pragma once
#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/http_client.hpp"

namespace semel::test {

/// The answer that tells nothing: byte for byte the same in every case.
inline constexpr std::string_view opaque_body =
    R"({"error":{"code":"CONFLICT","message":"A task with this identity already exists. )"
    R"(The task's identity strategy prevents duplicate creation."}})";

inline void expect_opaque(const HttpAnswer& answer) {
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.body, opaque_body);
}

/// A refusal with this status and code whose message says these words.
inline void expect_refusal(const HttpAnswer& answer, int status, std::string_view code, std::string_view words = "") {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.code(), code) << answer.body;
  EXPECT_NE(answer.message().find(words), std::string::npos) << answer.message() << "\n  lacks: " << words;
}

}  // namespace semel::test
