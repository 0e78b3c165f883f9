#include "engine/missing_template.hpp"

#include <gtest/gtest.h>

namespace semel::engine {
namespace {

TemplateRegistry::Shared named(std::string namespace_, std::string name, std::string version = "1.0.0") {
  domain::Template template_;
  template_.namespace_ = std::move(namespace_);
  template_.name = std::move(name);
  template_.version = std::move(version);
  return std::make_shared<const domain::Template>(std::move(template_));
}

std::string message_for(const std::string& namespace_, const std::string& name, const Templates& seen,
                        std::optional<std::string> version = std::nullopt) {
  domain::Submission submission;
  submission.namespace_ = namespace_;
  submission.name = name;
  submission.version = std::move(version);
  const Error error = missing_template(submission, seen);
  EXPECT_EQ(error.code, ErrorCode::not_found);
  return error.message;
}

const Templates shop{named("payments", "refund", "2.0.0"), named("payments", "refund", "1.0.0"),
                     named("shop", "invoice")};

TEST(MissingTemplate, SaysWhatToDoWhenNothingIsNear) {
  EXPECT_EQ(message_for("payments", "ship", {}),
            "no template payments/ship is registered; PUT it to /v1/templates first");
  EXPECT_EQ(message_for("payments", "ship", shop),
            "no template payments/ship is registered; PUT it to /v1/templates first");
}

TEST(MissingTemplate, NamesTheOneThatWasProbablyMeant) {
  EXPECT_EQ(message_for("payments", "refnd", shop),
            "no template payments/refnd is registered; did you mean payments/refund?");
  EXPECT_EQ(message_for("payment", "refund", shop),
            "no template payment/refund is registered; did you mean payments/refund?");
}

TEST(MissingTemplate, FindsTheNameInAnotherNamespace) {
  EXPECT_EQ(message_for("default", "invoice", shop),
            "no template default/invoice is registered; did you mean shop/invoice?");
}

TEST(MissingTemplate, NamesTheNewestVersionWhenOnlyThatIsMissing) {
  EXPECT_EQ(message_for("payments", "refund", shop, "3.0.0"),
            "no template payments/refund version 3.0.0 is registered; the newest is 2.0.0");
}

}  // namespace
}  // namespace semel::engine
