#include "api/codec/answers.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

using json::Writer;

void write_permissions(Writer& writer, std::uint8_t permissions) {
  writer.key("permissions").begin_array();
  for (const std::string_view name : domain::permission_names(permissions)) writer.string(name);
  writer.end_array();
}

void write_key(Writer& writer, const domain::ApiKey& key) {
  writer.string("id", key.id).string("tenant", key.tenant);
  if (!key.name.empty()) writer.string("name", key.name);
  write_permissions(writer, key.permissions);
  writer.string("created_at", to_rfc3339(key.created_at)).string("created_by", key.created_by);
  if (key.expires_at) writer.string("expires_at", to_rfc3339(*key.expires_at));
  if (key.revoked_at) writer.string("revoked_at", to_rfc3339(*key.revoked_at));
}

}  // namespace

Encoded encode_new_key(const engine::Engine::NewKey& created) {
  Writer writer;
  writer.begin_object().string("key", created.secret);
  write_key(writer, created.key);
  return {201, writer.end_object().take()};
}

Encoded encode_api_key(const domain::ApiKey& key) {
  Writer writer;
  writer.begin_object();
  write_key(writer, key);
  return {200, writer.end_object().take()};
}

Encoded encode_api_keys(const std::vector<domain::ApiKey>& keys) {
  Writer writer;
  writer.begin_object().key("keys").begin_array();
  for (const domain::ApiKey& key : keys) {
    writer.begin_object();
    write_key(writer, key);
    writer.end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

Encoded encode_who(const engine::WhoView& view) {
  Writer writer;
  writer.begin_object().string("tenant", view.principal.tenant).string("key_id", view.principal.key_id);
  if (view.key && !view.key->name.empty()) writer.string("name", view.key->name);
  write_permissions(writer, view.principal.permissions);
  if (view.key && view.key->expires_at) writer.string("expires_at", to_rfc3339(*view.key->expires_at));
  return {200, writer.boolean("requires_keys", view.requires_keys).end_object().take()};
}

Encoded encode_audit(const std::vector<AuditEntry>& entries, std::size_t limit) {
  Writer writer;
  writer.begin_object().key("entries").begin_array();
  for (const AuditEntry& entry : entries) {
    writer.begin_object().integer("seq", entry.seq).string("at", to_rfc3339(entry.at)).string("actor", entry.actor);
    writer.string("action", entry.action).string("subject", entry.subject).end_object();
  }
  writer.end_array();
  if (entries.size() == limit) writer.string("next_cursor", std::to_string(entries.back().seq));
  return {200, writer.end_object().take()};
}

}  // namespace semel::codec
