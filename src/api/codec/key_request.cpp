#include "api/codec/key_request.hpp"

#include "api/codec/fields.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

using json::Reader;
using KeyRequest = engine::Engine::KeyRequest;

Result<void> read_tenant(Reader& reader, std::string_view field, KeyRequest& request) {
  Result<std::string> tenant = read_name(reader, field);
  if (!tenant) return pass_on(tenant.error());
  request.tenant = *std::move(tenant);
  return {};
}

Result<void> read_key_name(Reader& reader, std::string_view field, KeyRequest& request) {
  Result<std::string> name = read_text(reader, field);
  if (!name) return pass_on(name.error());
  if (Result<void> fits = domain::check_key(field, *name); !fits) return fits;
  request.name = *std::move(name);
  return {};
}

Result<void> read_permissions(Reader& reader, std::string_view field, KeyRequest& request) {
  return read_elements(reader, field, [&](Reader& element) -> Result<void> {
    const Result<std::string> name = read_text(element, field);
    if (!name) return pass_on(name.error());
    const auto permission = domain::parse_permission(*name);
    if (!permission) {
      return bad_request("permissions: '{}' is none of {}", utf8_prefix(*name, 40),
                         fmt::join(domain::permission_names(domain::all_permissions), ", "));
    }
    request.permissions |= static_cast<std::uint8_t>(*permission);
    return {};
  });
}

Result<void> read_expiry(Reader& reader, std::string_view field, KeyRequest& request) {
  const Result<Duration> duration = read_duration(reader, field);
  if (!duration) return pass_on(duration.error());
  if (*duration < 1s) return bad_request("{} must be at least 1s", field);
  request.expires_in = *duration;
  return {};
}

constexpr FieldTable<KeyRequest, 4> key_fields{
    {{"tenant", read_tenant}, {"name", read_key_name}, {"permissions", read_permissions}, {"expires_in", read_expiry}}};

}  // namespace

Result<KeyRequest> decode_key_request(std::string_view body) {
  KeyRequest request;
  if (Result<void> read = read_body(body, key_fields, request); !read) return pass_on(read.error());
  if (request.permissions == 0) return bad_request("permissions is required: an array such as [\"tasks:create\"]");
  return request;
}

}  // namespace semel::codec
