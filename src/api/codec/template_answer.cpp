#include "api/codec/answers.hpp"
#include "base/json/writer.hpp"

namespace semel::codec {
namespace {

void write_names(json::Writer& writer, const domain::Template& template_) {
  writer.begin_object().string("namespace", template_.namespace_).string("name", template_.name);
  writer.string("version", template_.version).integer("revision", template_.revision);
}

void write_template(json::Writer& writer, const domain::Template& template_, const std::string& tenant) {
  write_names(writer, template_);
  writer.string("named_task_uuid", domain::named_task_uuid(tenant, template_.namespace_, template_.name).text());
  writer.string("handler", template_.handler).string("queue", template_.queue);
  writer.string("identity_strategy", name_of(template_.identity.strategy))
      .string("scope", name_of(template_.identity.scope));
  writer.raw("document", template_.document);
}

}  // namespace

Encoded encode_template(const domain::Template& template_, const std::string& tenant) {
  json::Writer writer;
  write_template(writer, template_, tenant);
  return {200, writer.end_object().take()};
}

Encoded encode_stored_template(const engine::Engine::StoredRevision& stored, const std::string& tenant) {
  json::Writer writer;
  write_template(writer, stored.template_, tenant);
  writer.boolean("changed", stored.changed);
  const bool created = stored.changed && stored.template_.revision == 1;
  return {created ? 201 : 200, writer.end_object().take()};
}

Encoded encode_template_list(const std::vector<engine::TemplateRegistry::Shared>& templates) {
  json::Writer writer;
  writer.begin_object().key("templates").begin_array();
  for (const auto& each : templates) {
    write_names(writer, *each);
    writer.end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

Encoded encode_template_versions(const std::vector<engine::TemplateRegistry::Shared>& versions,
                                 const std::string& tenant) {
  json::Writer writer;
  writer.begin_object().key("versions").begin_array();
  for (const auto& each : versions) {
    write_template(writer, *each, tenant);
    writer.end_object();
  }
  return {200, writer.end_array().end_object().take()};
}

}  // namespace semel::codec
