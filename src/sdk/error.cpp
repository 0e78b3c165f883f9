#include "semel/error.hpp"

#include <nlohmann/json.hpp>

namespace semel {
namespace {

/// A member of an error that is text; errors are written by handlers of any language.
std::string text_in(const std::string& error, const char* member) {
  const nlohmann::json json = nlohmann::json::parse(error, nullptr, false);
  if (!json.is_object() || !json.contains(member) || !json[member].is_string()) return {};
  return json[member].get<std::string>();
}

std::string message_of(Status status, const std::string& error) {
  const std::string message = text_in(error, "message");
  return message.empty() ? std::string(name_of(status)) : message;
}

}  // namespace

std::string_view name_of(Status status) {
  switch (status) {
    case Status::pending: return "pending";
    case Status::running: return "running";
    case Status::suspended: return "suspended";
    case Status::completed: return "completed";
    case Status::failed: return "failed";
    case Status::cancelled: return "cancelled";
    case Status::timed_out: return "timed_out";
  }
  return "unknown";
}

ExecutionFailed::ExecutionFailed(Status status, std::string error)
    : std::runtime_error(message_of(status, error)),
      status_(status),
      type_(text_in(error, "type")),
      error_(std::move(error)) {}

}  // namespace semel
