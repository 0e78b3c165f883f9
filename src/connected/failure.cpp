#include "connected/failure.hpp"

#include "base/json/reader.hpp"

namespace semel::connected {
namespace {

/// False: there is something that has no field.
bool read_parts(const std::string& error, FailureParts& parts) {
  json::Reader reader(error);
  if (!reader.begin_object()) return false;
  while (true) {
    const Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return false;
    if (!*member) return !parts.type.empty();
    if (**member == "type" || **member == "message") {
      const Result<std::string> text = reader.read_string();
      if (!text) return false;
      (**member == "type" ? parts.type : parts.message) = *text;
    } else if (**member == "details") {
      const Result<std::string_view> details = reader.read_raw();
      if (!details) return false;
      parts.details = *details;
    } else {
      return false;
    }
  }
}

}  // namespace

FailureParts parts_of(const std::string& error) {
  FailureParts parts;
  if (read_parts(error, parts)) return parts;
  if (parts.type.empty()) parts.type = "error";
  parts.details = error;
  return parts;
}

}  // namespace semel::connected
