#pragma once
#include <semel/v1/admin.grpc.pb.h>

#include "api/grpc/backend.hpp"

namespace semel::rpc {

class AdminService final : public v1::AdminService::CallbackService {
 public:
  explicit AdminService(Backend& backend) : backend_(backend) {}

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* PutTemplate(Context*, const v1::PutTemplateRequest*, v1::Template*) override;
  Reactor* GetTemplate(Context*, const v1::GetTemplateRequest*, v1::Template*) override;
  Reactor* ListTemplateVersions(Context*, const v1::ListTemplateVersionsRequest*,
                                v1::ListTemplateVersionsResponse*) override;
  Reactor* ListTemplates(Context*, const v1::ListTemplatesRequest*, v1::ListTemplatesResponse*) override;
  Reactor* DeleteTemplate(Context*, const v1::DeleteTemplateRequest*, v1::DeleteTemplateResponse*) override;
  Reactor* PutQueue(Context*, const v1::PutQueueRequest*, v1::Queue*) override;
  Reactor* GetQueue(Context*, const v1::GetQueueRequest*, v1::Queue*) override;
  Reactor* ListQueues(Context*, const v1::ListQueuesRequest*, v1::ListQueuesResponse*) override;
  Reactor* PauseQueue(Context*, const v1::PauseQueueRequest*, v1::Queue*) override;
  Reactor* ResumeQueue(Context*, const v1::ResumeQueueRequest*, v1::Queue*) override;
  Reactor* ExplainIdentity(Context*, const v1::SubmitTaskRequest*, v1::ExplainIdentityResponse*) override;
  Reactor* ReleaseIdentity(Context*, const v1::ReleaseIdentityRequest*, v1::ReleaseIdentityResponse*) override;
  Reactor* CreateKey(Context*, const v1::CreateKeyRequest*, v1::CreateKeyResponse*) override;
  Reactor* ListKeys(Context*, const v1::ListKeysRequest*, v1::ListKeysResponse*) override;
  Reactor* RevokeKey(Context*, const v1::RevokeKeyRequest*, v1::ApiKey*) override;
  Reactor* ListAudit(Context*, const v1::ListAuditRequest*, v1::ListAuditResponse*) override;

 private:
  Backend& backend_;
};

}  // namespace semel::rpc
