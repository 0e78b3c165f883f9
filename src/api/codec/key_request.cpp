#include "api/codec/key_request.hpp"

#include "api/codec/fields.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

using json::Reader;
using KeyRequest = engine::Engine::KeyRequest;

Result<void> read_tenant(Reader& reader, std::string_view field, KeyRequest& request) {
  Result<std::string> tenant = read_text(reader, field);
  if (!tenant) return pass_on(tenant.error());
  return set_key_tenant(request, *std::move(tenant));
}

Result<void> read_key_name(Reader& reader, std::string_view field, KeyRequest& request) {
  Result<std::string> name = read_text(reader, field);
  if (!name) return pass_on(name.error());
  return set_key_name(request, *std::move(name));
}

Result<void> read_permissions(Reader& reader, std::string_view field, KeyRequest& request) {
  return read_elements(reader, field, [&](Reader& element) -> Result<void> {
    const Result<std::string> name = read_text(element, field);
    if (!name) return pass_on(name.error());
    return add_key_permission(request, *name);
  });
}

Result<void> read_expiry(Reader& reader, std::string_view field, KeyRequest& request) {
  const Result<Duration> duration = read_duration(reader, field);
  if (!duration) return pass_on(duration.error());
  return set_key_expiry(request, *duration);
}

constexpr FieldTable<KeyRequest, 4> key_fields{
    {{"tenant", read_tenant}, {"name", read_key_name}, {"permissions", read_permissions}, {"expires_in", read_expiry}}};

}  // namespace

Result<void> set_key_tenant(KeyRequest& request, std::string tenant) {
  if (Result<void> fits = domain::check_name("tenant", tenant); !fits) return fits;
  request.tenant = std::move(tenant);
  return {};
}

Result<void> set_key_name(KeyRequest& request, std::string name) {
  if (Result<void> fits = domain::check_key("name", name); !fits) return fits;
  request.name = std::move(name);
  return {};
}

Result<void> add_key_permission(KeyRequest& request, std::string_view name) {
  const auto permission = domain::parse_permission(name);
  if (!permission) {
    return bad_request("permissions: '{}' is none of {}", utf8_prefix(name, 40),
                       fmt::join(domain::permission_names(domain::all_permissions), ", "));
  }
  request.permissions |= static_cast<std::uint8_t>(*permission);
  return {};
}

Result<void> set_key_expiry(KeyRequest& request, Duration expires_in) {
  if (expires_in < 1s) return bad_request("expires_in must be at least 1s");
  request.expires_in = expires_in;
  return {};
}

Result<void> check_key_request(const KeyRequest& request) {
  if (request.permissions == 0) return bad_request("permissions is required: an array such as [\"tasks:create\"]");
  return {};
}

Result<KeyRequest> decode_key_request(std::string_view body) {
  KeyRequest request;
  if (Result<void> read = read_body(body, key_fields, request); !read) return pass_on(read.error());
  if (Result<void> fits = check_key_request(request); !fits) return pass_on(fits.error());
  return request;
}

}  // namespace semel::codec
