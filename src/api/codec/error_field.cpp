#include "api/codec/error_field.hpp"

#include "api/codec/fields.hpp"
#include "api/codec/work_values.hpp"

namespace semel::codec {
namespace {

struct ErrorShape {
  bool has_type = false;
  bool has_message = false;
};

Result<void> read_text_member(json::Reader& reader, std::string_view name, ErrorShape& shape) {
  const Result<std::string> text = read_text(reader, name);
  if (!text) return pass_on(text.error());
  (name == "type" ? shape.has_type : shape.has_message) = true;
  return {};
}

Result<void> read_any_member(json::Reader& reader, std::string_view, ErrorShape&) {
  const Result<std::string_view> raw = reader.read_raw();
  return raw ? Result<void>{} : pass_on(raw.error());
}

constexpr FieldTable<ErrorShape, 3> error_members{
    {{"type", read_text_member}, {"message", read_text_member}, {"details", read_any_member}}};

}  // namespace

Result<std::string> read_error(json::Reader& reader, std::string_view field) {
  std::string canonical;
  const Result<std::string_view> error = reader.read_canonical(canonical);
  if (!error) return in_field(field, error.error());
  if (Result<void> fits = check_payload(field, error->size()); !fits) return pass_on(fits.error());
  if (!canonical.starts_with('{')) return bad_request("{} must be an object with a type and a message", field);
  ErrorShape shape;
  if (Result<void> read = read_body(canonical, error_members, shape); !read) return in_field(field, read.error());
  if (!shape.has_type || !shape.has_message)
    return bad_request("{} must be an object with a type and a message", field);
  return canonical;
}

}  // namespace semel::codec
