#include "sdk/worker/progress.hpp"

#include <cstdlib>

#include "base/json/reader.hpp"
#include "base/utf8.hpp"

namespace semel::sdk {
namespace {

constexpr std::size_t progress_message_bytes_max = 1'000;  // what servers take

}  // namespace

SaidProgress read_progress(const std::string& json) {
  json::Reader reader(json);
  const Result<json::Type> type = reader.peek();
  SaidProgress progress;
  if (type && *type == json::Type::number) {
    const double done = std::strtod(json.c_str(), nullptr);
    if (done >= 0 && done <= 1) {
      progress.done = done;
      return progress;
    }
  }
  if (type && *type == json::Type::string) progress.message = reader.read_string().value_or("");
  else progress.message = json;
  progress.message = utf8_prefix(progress.message, progress_message_bytes_max);
  return progress;
}

}  // namespace semel::sdk
