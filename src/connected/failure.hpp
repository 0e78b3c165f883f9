#pragma once
#include <optional>
#include <string>

namespace semel::connected {

/// The parts of an error, which is a JSON object in the SDK and has fields on the wire.
struct FailureParts {
  std::string type{};
  std::string message{};
  std::optional<std::string> details{};  // JSON
};

/// What is no object of type, message and details stays whole, as details.
FailureParts parts_of(const std::string& error);

/// Of a message with these fields.
void write_failure(auto& to, const std::string& error) {
  const FailureParts parts = parts_of(error);
  to.set_type(parts.type);
  to.set_message(parts.message);
  if (parts.details) to.set_details(*parts.details);
}

}  // namespace semel::connected
