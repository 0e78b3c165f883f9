#include "semel/json.hpp"

namespace semel::detail {

Json read_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw ConversionError(error.what());
  }
}

std::string write_json(const Json& value) { return value.dump(); }

}  // namespace semel::detail
