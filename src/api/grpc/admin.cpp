#include "api/grpc/admin.hpp"

#include "api/grpc/admin_calls.hpp"

namespace semel::rpc {
namespace {

constexpr Method admin_method(std::string_view name) { return {"semel.v1.AdminService", name, true}; }

}  // namespace

AdminService::Reactor* AdminService::PutTemplate(Context* context, const v1::PutTemplateRequest* request,
                                                 v1::Template* response) {
  static constexpr Method method = admin_method("PutTemplate");
  return begin(backend_, method, context, request, response, put_template);
}

AdminService::Reactor* AdminService::GetTemplate(Context* context, const v1::GetTemplateRequest* request,
                                                 v1::Template* response) {
  static constexpr Method method = admin_method("GetTemplate");
  return begin(backend_, method, context, request, response, get_template);
}

AdminService::Reactor* AdminService::ListTemplateVersions(Context* context,
                                                          const v1::ListTemplateVersionsRequest* request,
                                                          v1::ListTemplateVersionsResponse* response) {
  static constexpr Method method = admin_method("ListTemplateVersions");
  return begin(backend_, method, context, request, response, list_versions);
}

AdminService::Reactor* AdminService::ListTemplates(Context* context, const v1::ListTemplatesRequest* request,
                                                   v1::ListTemplatesResponse* response) {
  static constexpr Method method = admin_method("ListTemplates");
  return begin(backend_, method, context, request, response, list_templates);
}

AdminService::Reactor* AdminService::DeleteTemplate(Context* context, const v1::DeleteTemplateRequest* request,
                                                    v1::DeleteTemplateResponse* response) {
  static constexpr Method method = admin_method("DeleteTemplate");
  return begin(backend_, method, context, request, response, delete_template);
}

AdminService::Reactor* AdminService::PutQueue(Context* context, const v1::PutQueueRequest* request,
                                              v1::Queue* response) {
  static constexpr Method method = admin_method("PutQueue");
  return begin(backend_, method, context, request, response, put_queue);
}

AdminService::Reactor* AdminService::GetQueue(Context* context, const v1::GetQueueRequest* request,
                                              v1::Queue* response) {
  static constexpr Method method = admin_method("GetQueue");
  return begin(backend_, method, context, request, response, get_queue);
}

AdminService::Reactor* AdminService::ListQueues(Context* context, const v1::ListQueuesRequest* request,
                                                v1::ListQueuesResponse* response) {
  static constexpr Method method = admin_method("ListQueues");
  return begin(backend_, method, context, request, response, list_queues);
}

AdminService::Reactor* AdminService::PauseQueue(Context* context, const v1::PauseQueueRequest* request,
                                                v1::Queue* response) {
  static constexpr Method method = admin_method("PauseQueue");
  return begin(backend_, method, context, request, response, pause_queue);
}

AdminService::Reactor* AdminService::ResumeQueue(Context* context, const v1::ResumeQueueRequest* request,
                                                 v1::Queue* response) {
  static constexpr Method method = admin_method("ResumeQueue");
  return begin(backend_, method, context, request, response, resume_queue);
}

AdminService::Reactor* AdminService::ExplainIdentity(Context* context, const v1::SubmitTaskRequest* request,
                                                     v1::ExplainIdentityResponse* response) {
  static constexpr Method method = admin_method("ExplainIdentity");
  return begin(backend_, method, context, request, response, explain_identity);
}

AdminService::Reactor* AdminService::ReleaseIdentity(Context* context, const v1::ReleaseIdentityRequest* request,
                                                     v1::ReleaseIdentityResponse* response) {
  static constexpr Method method = admin_method("ReleaseIdentity");
  return begin(backend_, method, context, request, response, release_identity);
}

AdminService::Reactor* AdminService::CreateKey(Context* context, const v1::CreateKeyRequest* request,
                                               v1::CreateKeyResponse* response) {
  static constexpr Method method = admin_method("CreateKey");
  return begin(backend_, method, context, request, response, create_key);
}

AdminService::Reactor* AdminService::ListKeys(Context* context, const v1::ListKeysRequest* request,
                                              v1::ListKeysResponse* response) {
  static constexpr Method method = admin_method("ListKeys");
  return begin(backend_, method, context, request, response, list_keys);
}

AdminService::Reactor* AdminService::RevokeKey(Context* context, const v1::RevokeKeyRequest* request,
                                               v1::ApiKey* response) {
  static constexpr Method method = admin_method("RevokeKey");
  return begin(backend_, method, context, request, response, revoke_key);
}

AdminService::Reactor* AdminService::ListAudit(Context* context, const v1::ListAuditRequest* request,
                                               v1::ListAuditResponse* response) {
  static constexpr Method method = admin_method("ListAudit");
  return begin(backend_, method, context, request, response, list_audit);
}

}  // namespace semel::rpc
