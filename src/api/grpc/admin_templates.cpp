#include "api/codec/template_document.hpp"
#include "api/grpc/admin_calls.hpp"
#include "api/grpc/admin_views.hpp"

namespace semel::rpc {

void put_template(const Call<v1::PutTemplateRequest, v1::Template>& call) {
  const int format = call.request.format();
  if (format > v1::PutTemplateRequest::Format_MAX || format < 0)
    return call.to.refuse({ErrorCode::bad_request, "format has an unknown value " + std::to_string(format)});
  const bool is_yaml = format == v1::PutTemplateRequest::FORMAT_YAML;
  Result<domain::Template> template_ = is_yaml ? codec::decode_template_yaml(call.request.document())
                                               : codec::decode_template_json(call.request.document());
  if (!template_) return call.to.refuse(template_.error());
  call.engine.put_template(call.principal, *std::move(template_),
                           [to = call.to, response = call.response,
                            tenant = call.principal.tenant](const Result<engine::Engine::StoredRevision>& stored) {
                             to.answer([response, tenant, stored] {
                               if (!stored) return status_of(stored.error());
                               write_template(*response, stored->template_, tenant);
                               response->set_changed(stored->changed);
                               return grpc::Status::OK;
                             });
                           });
}

void get_template(const Call<v1::GetTemplateRequest, v1::Template>& call) {
  const v1::GetTemplateRequest& request = call.request;
  const auto found =
      call.engine.template_version(call.principal, request.namespace_(), request.name(), request.version());
  if (!found) return call.to.refuse(found.error());
  call.to.answer([&] {
    write_template(*call.response, **found, call.principal.tenant);
    return grpc::Status::OK;
  });
}

void list_versions(const Call<v1::ListTemplateVersionsRequest, v1::ListTemplateVersionsResponse>& call) {
  const auto versions = call.engine.template_versions(call.principal, call.request.namespace_(), call.request.name());
  if (!versions) return call.to.refuse(versions.error());
  call.to.answer([&] {
    for (const auto& each : *versions) write_template(*call.response->add_versions(), *each, call.principal.tenant);
    return grpc::Status::OK;
  });
}

void list_templates(const Call<v1::ListTemplatesRequest, v1::ListTemplatesResponse>& call) {
  const auto templates = call.engine.templates(call.principal);
  if (!templates) return call.to.refuse(templates.error());
  call.to.answer([&] {
    for (const auto& each : *templates) write_template_name(*call.response->add_templates(), *each);
    return grpc::Status::OK;
  });
}

void delete_template(const Call<v1::DeleteTemplateRequest, v1::DeleteTemplateResponse>& call) {
  const v1::DeleteTemplateRequest& request = call.request;
  if (request.has_version() && request.version().empty())
    return call.to.refuse({ErrorCode::bad_request, "version must not be empty; leave it out to delete all of them"});
  const RemoveTemplate which{"", request.namespace_(), request.name(), request.version()};
  call.engine.remove_template(call.principal, which, [to = call.to](const Result<TemplateRemoved>& removed) {
    to.answer([removed] { return removed ? grpc::Status::OK : status_of(removed.error()); });
  });
}

}  // namespace semel::rpc
