#include "sdk/workflow/failure.hpp"

#include "base/json/reader.hpp"
#include "base/json/writer.hpp"
#include "base/utf8.hpp"
#include "sdk/workflow/recorded.hpp"
#include "semel/error.hpp"

namespace semel::sdk {
namespace {

/// Messages of exceptions may be any bytes; JSON may not.
std::string valid_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) text += '?';
    else text += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace

std::string failure_text(const std::exception& error) {
  if (const auto* failed = dynamic_cast<const ExecutionFailed*>(&error)) return failed->error();
  const std::string message = valid_utf8(error.what());
  const auto* failure = dynamic_cast<const Failure*>(&error);
  if (!failure) return error_text("exception", message);
  json::Writer writer;
  writer.begin_object().string("type", valid_utf8(failure->type())).string("message", message);
  if (!failure->details().empty() && json::check_grammar(failure->details())) {
    writer.raw("details", failure->details());
  }
  return writer.end_object().take();
}

}  // namespace semel::sdk
