#include "tests/grpc/grpc_fixture.hpp"

/// AdminService, where parity_test.cpp has not been.
namespace semel::test {
namespace {

using Admin = v1::AdminService::Stub;

class GrpcAdmin : public GrpcFixture {
 protected:
  template <typename Request, typename Response>
  RpcAnswer<Response> ask_admin(grpc::Status (Admin::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Json& request, const std::string& key = "admin") {
    return ask_rpc(*rpc().admin, method, key, make<Request>(request));
  }
};

TEST_F(GrpcAdmin, TemplatesArePutReadListedAndDeleted) {
  v1::PutTemplateRequest yaml;
  yaml.set_format(v1::PutTemplateRequest::FORMAT_YAML);
  yaml.set_document("namespace: shop\nname: charge\nversion: 1.0.0\n");
  const auto put = ask_rpc(*rpc().admin, &Admin::PutTemplate, "admin", yaml);
  ASSERT_TRUE(put.ok()) << put.status.error_message();
  EXPECT_TRUE(put.response.changed());
  EXPECT_FALSE(ask_rpc(*rpc().admin, &Admin::PutTemplate, "admin", yaml).response.changed());
  ask_admin(&Admin::PutTemplate, {{"document", {{"namespace", "shop"}, {"name", "charge"}, {"version", "2.0.0"}}}});

  const Json one{{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}};
  const Json all{{"namespace", "shop"}, {"name", "charge"}};
  EXPECT_EQ(ask_admin(&Admin::GetTemplate, one).json()["document"]["version"], "1.0.0");
  EXPECT_EQ(ask_admin(&Admin::ListTemplateVersions, all).response.versions_size(), 2);
  EXPECT_EQ(ask_admin(&Admin::ListTemplates, Json::object()).response.templates_size(), 2);
  EXPECT_TRUE(ask_admin(&Admin::DeleteTemplate, one).ok());
  EXPECT_EQ(ask_admin(&Admin::GetTemplate, one).code(), "NOT_FOUND");
  EXPECT_TRUE(ask_admin(&Admin::DeleteTemplate, all).ok());
  EXPECT_EQ(ask_admin(&Admin::DeleteTemplate, all).code(), "NOT_FOUND");
}

TEST_F(GrpcAdmin, ABadTemplateIsRefusedAsOverRest) {
  const auto bad = ask_admin(&Admin::PutTemplate, {{"document", {{"name", "charge"}}}});

  EXPECT_EQ(bad.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(bad.code(), "INVALID_TEMPLATE");
  EXPECT_EQ(ask_admin(&Admin::PutTemplate, {{"document", Json::object()}}, "reader").ok(), false);
}

TEST_F(GrpcAdmin, QueuesAreListedPausedAndResumed) {
  create("admin", {{"handler", "charge"}, {"queue", "a"}});

  EXPECT_TRUE(ask_admin(&Admin::PauseQueue, {{"name", "a"}}).response.paused());
  EXPECT_EQ(lease("a"), Json());
  EXPECT_FALSE(ask_admin(&Admin::ResumeQueue, {{"name", "a"}}).response.paused());
  const Json queues = ask_admin(&Admin::ListQueues, Json::object()).json()["queues"];
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues[0]["depth"]["ready"], 1);
  EXPECT_EQ(queues[0]["rates"]["hour"]["created"], 1);
  EXPECT_FALSE(queues[0]["rates"].contains("history"));
  const Json longer = ask_admin(&Admin::ListQueues, {{"history", true}}).json()["queues"];
  EXPECT_EQ(longer[0]["rates"]["history"]["created"].size(), 60u);
  EXPECT_EQ(longer[0]["rates"]["history"]["created"][59], 1);
  EXPECT_EQ(ask_admin(&Admin::PauseQueue, {{"name", "a b"}}).code(), "BAD_REQUEST");
  EXPECT_EQ(ask_admin(&Admin::PutQueue, {{"name", "a"}}, "reader").code(), "FORBIDDEN");
}

TEST_F(GrpcAdmin, AnIdentityIsReleasedWhenItsHolderIsClosedOrByForce) {
  const std::string id = create("admin", {{"handler", "charge"}, {"idempotency_key", "k"}});
  const std::string hash = task(id)["identity"]["hash"];

  EXPECT_EQ(ask_admin(&Admin::ReleaseIdentity, {{"hash", hash}}).code(), "IDENTITY_HELD");
  EXPECT_EQ(ask_admin(&Admin::ReleaseIdentity, {{"hash", "12"}}).code(), "BAD_REQUEST");
  const auto released = ask_admin(&Admin::ReleaseIdentity, {{"hash", hash}, {"force", true}});

  EXPECT_TRUE(released.response.released());
  EXPECT_EQ(released.response.execution_id(), id);
  const auto audit = ask_admin(&Admin::ListAudit, {{"limit", 1}});
  ASSERT_EQ(audit.response.entries_size(), 1);
  EXPECT_EQ(audit.response.entries(0).action(), "identity.release.force");
  EXPECT_TRUE(audit.response.has_next_before());
}

class GrpcOwnKeys : public GrpcAdmin {
 protected:
  GrpcOwnKeys() { own_keys_ = true; }
};

TEST_F(GrpcOwnKeys, TheFirstKeyEndsTheOpenServerForGrpcToo) {
  EXPECT_TRUE(submit_rpc("", {{"handler", "charge"}}).ok());  // from this machine, before there is a key

  const auto made = ask_admin(&Admin::CreateKey, {{"name", "first"}, {"permissions", {"admin", "tasks:create"}}}, "");

  ASSERT_TRUE(made.ok()) << made.status.error_message();
  const std::string secret = made.response.secret();
  EXPECT_EQ(submit_rpc("", {{"handler", "charge"}}).code(), "UNAUTHORIZED");
  EXPECT_TRUE(submit_rpc(secret, {{"handler", "charge"}}).ok());
  EXPECT_EQ(ask_admin(&Admin::ListKeys, Json::object(), secret).response.keys_size(), 1);
  const auto other = ask_admin(&Admin::CreateKey, {{"permissions", {"tasks:create"}}, {"expires_in", "1h"}}, secret);
  ASSERT_TRUE(other.ok()) << other.status.error_message();
  EXPECT_EQ(to_json(other.response.key())["expires_at"], to_rfc3339(clock_.now() + 1h));
  EXPECT_TRUE(ask_admin(&Admin::RevokeKey, {{"id", other.response.key().id()}}, secret).response.has_revoked_at());
  EXPECT_EQ(submit_rpc(other.response.secret(), {{"handler", "charge"}}).code(), "UNAUTHORIZED");
  EXPECT_EQ(ask_admin(&Admin::CreateKey, {{"permissions", {"everything"}}}, secret).code(), "BAD_REQUEST");
}

}  // namespace
}  // namespace semel::test
