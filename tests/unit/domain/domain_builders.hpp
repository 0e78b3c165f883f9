#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/json/canonical.hpp"
#include "domain/identity.hpp"
#include "domain/submission.hpp"

/// What the tests of the domain are about, with sensible defaults.
namespace semel::domain::test {

/// 2026-01-20T12:00:00Z, on a full hour.
inline const Time noon = from_ms(1768910400000);

inline std::vector<json::Pointer> pointers(const std::vector<std::string>& texts) {
  std::vector<json::Pointer> parsed;
  for (const std::string& text : texts) parsed.push_back(json::Pointer::parse(text).value());
  return parsed;
}

/// payments/process_payment 1.0.0, strict, in the scope of the template.
inline Template payment(Strategy strategy = Strategy::strict) {
  Template template_;
  template_.namespace_ = "payments";
  template_.name = "process_payment";
  template_.version = "1.0.0";
  template_.revision = 3;
  template_.identity.strategy = strategy;
  template_.handler = "charge_card";
  template_.queue = "billing";
  return template_;
}

/// A submission of that template, or of an ad-hoc task when there is none.
inline Submission submission_of(const Template* template_, const std::string& context = "{}") {
  Submission submission;
  if (template_ != nullptr) {
    submission.namespace_ = template_->namespace_;
    submission.name = template_->name;
  } else {
    submission.handler = "send_mail";
  }
  submission.context = context;
  submission.canonical_context = json::canonicalize(context).value();
  return submission;
}

/// The refusal's message, or nothing.
template <typename T>
std::string refusal_of(const Result<T>& result) {
  if (result) return "";
  EXPECT_EQ(result.error().code, ErrorCode::bad_request);
  return result.error().message;
}

}  // namespace semel::domain::test
