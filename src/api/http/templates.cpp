#include "api/codec/template_document.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

void remove(Call call, std::string version) {
  const Responder to = call.to;
  RemoveTemplate which{"", call.parts[0], call.parts[1], std::move(version)};
  call.engine.remove_template(call.principal, which, [to](const Result<TemplateRemoved>& removed) {
    if (!removed) return to.refuse(removed.error());
    to.respond({204, "", "application/json", {}});
  });
}

}  // namespace

void put_template(Call call) {
  const Responder to = call.to;
  const bool is_json = call.request.content_type == "application/json";
  Result<domain::Template> template_ =
      is_json ? codec::decode_template_json(call.request.body) : codec::decode_template_yaml(call.request.body);
  if (!template_) return to.refuse(template_.error());
  call.engine.put_template(call.principal, *std::move(template_),
                           [to, tenant = call.principal.tenant](const Result<engine::Engine::StoredRevision>& stored) {
                             if (!stored) return to.refuse(stored.error());
                             to.answer(codec::encode_stored_template(*stored, tenant));
                           });
}

void list_templates(Call call) {
  const Responder to = call.to;
  const auto templates = call.engine.templates(call.principal);
  if (!templates) return to.refuse(templates.error());
  to.answer(codec::encode_template_list(*templates));
}

void get_templates(Call call) {
  const Responder to = call.to;
  const auto versions = call.engine.template_versions(call.principal, call.parts[0], call.parts[1]);
  if (!versions) return to.refuse(versions.error());
  to.answer(codec::encode_template_versions(*versions, call.principal.tenant));
}

void get_template(Call call) {
  const Responder to = call.to;
  const auto found = call.engine.template_version(call.principal, call.parts[0], call.parts[1], call.parts[2]);
  if (!found) return to.refuse(found.error());
  to.answer(codec::encode_template(**found, call.principal.tenant));
}

void delete_templates(Call call) { remove(std::move(call), ""); }

void delete_template(Call call) {
  std::string version = call.parts[2];
  remove(std::move(call), std::move(version));
}

}  // namespace semel::http
