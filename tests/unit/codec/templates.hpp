#pragma once
#include <gtest/gtest.h>

#include <string>

#include "api/codec/template_document.hpp"

namespace semel::codec::test {

inline const std::string head = "namespace: payments\nname: charge\nversion: 1.0.0\n";

inline domain::Template read_or_fail(Result<domain::Template> read) {
  EXPECT_TRUE(read) << read.error().message;
  return read ? *std::move(read) : domain::Template{};
}
inline domain::Template yaml(const std::string& text) { return read_or_fail(decode_template_yaml(text)); }
inline domain::Template json(const std::string& text) { return read_or_fail(decode_template_json(text)); }

/// The message of an INVALID_TEMPLATE; empty when the template was taken.
inline std::string refusal_of_template(const Result<domain::Template>& read) {
  if (read) return "";
  EXPECT_EQ(read.error().code, ErrorCode::invalid_template) << read.error().message;
  return read.error().message;
}
inline std::string refused_yaml(const std::string& text) { return refusal_of_template(decode_template_yaml(text)); }
inline std::string refused_json(const std::string& text) { return refusal_of_template(decode_template_json(text)); }

}  // namespace semel::codec::test
