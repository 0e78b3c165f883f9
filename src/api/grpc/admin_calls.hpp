#pragma once
#include <semel/v1/admin.pb.h>

#include "api/grpc/call.hpp"

/// One function a method of AdminService: templates in admin_templates.cpp, the rest in the file of its resource.
namespace semel::rpc {

void put_template(const Call<v1::PutTemplateRequest, v1::Template>& call);
void get_template(const Call<v1::GetTemplateRequest, v1::Template>& call);
void list_versions(const Call<v1::ListTemplateVersionsRequest, v1::ListTemplateVersionsResponse>& call);
void list_templates(const Call<v1::ListTemplatesRequest, v1::ListTemplatesResponse>& call);
void delete_template(const Call<v1::DeleteTemplateRequest, v1::DeleteTemplateResponse>& call);
void put_queue(const Call<v1::PutQueueRequest, v1::Queue>& call);
void get_queue(const Call<v1::GetQueueRequest, v1::Queue>& call);
void list_queues(const Call<v1::ListQueuesRequest, v1::ListQueuesResponse>& call);
void pause_queue(const Call<v1::PauseQueueRequest, v1::Queue>& call);
void resume_queue(const Call<v1::ResumeQueueRequest, v1::Queue>& call);
void explain_identity(const Call<v1::SubmitTaskRequest, v1::ExplainIdentityResponse>& call);
void release_identity(const Call<v1::ReleaseIdentityRequest, v1::ReleaseIdentityResponse>& call);
void create_key(const Call<v1::CreateKeyRequest, v1::CreateKeyResponse>& call);
void list_keys(const Call<v1::ListKeysRequest, v1::ListKeysResponse>& call);
void revoke_key(const Call<v1::RevokeKeyRequest, v1::ApiKey>& call);
void list_audit(const Call<v1::ListAuditRequest, v1::ListAuditResponse>& call);

}  // namespace semel::rpc
