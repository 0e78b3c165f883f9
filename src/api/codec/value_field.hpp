#pragma once
#include <string>
#include <string_view>

#include "api/codec/fields.hpp"
#include "api/codec/work_values.hpp"

namespace semel::codec {

/// Any JSON, checked like a context, kept as written.
inline Result<std::string> read_json_value(json::Reader& reader, std::string_view field) {
  std::string canonical;
  const Result<std::string_view> value = reader.read_canonical(canonical);
  if (!value) return in_field(field, value.error());
  if (Result<void> fits = check_payload(field, value->size()); !fits) return pass_on(fits.error());
  return std::string(*value);
}

}  // namespace semel::codec
