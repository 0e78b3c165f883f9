#include <gmock/gmock.h>
#include <grpc/grpc.h>
#include <grpcpp/generic/generic_stub.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "tests/grpc/grpc_fixture.hpp"
#include "tests/support/certificate.hpp"

/// What belongs to the server and not to a service: keys, TLS, limits, health, reflection, metrics.
namespace semel::test {
namespace {

using testing::HasSubstr;

class GrpcServer : public GrpcFixture {
 protected:
  /// One call by its name, with bytes as they are: for services whose messages are not ours.
  grpc::Status raw_call(const std::string& method, const std::string& request, std::string& response) {
    grpc::GenericStub stub(rpc().channel);
    const auto context = context_for("");
    grpc::CompletionQueue queue;
    grpc::ByteBuffer in, out;
    const grpc::Slice slice(request);
    in = grpc::ByteBuffer(&slice, 1);
    auto call = stub.PrepareUnaryCall(context.get(), method, in, &queue);
    call->StartCall();
    grpc::Status status;
    call->Finish(&out, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    std::vector<grpc::Slice> slices;
    if (status.ok() && out.Dump(&slices).ok()) {
      for (const grpc::Slice& each : slices) response.append(reinterpret_cast<const char*>(each.begin()), each.size());
    }
    return status;
  }
};

TEST_F(GrpcServer, SaysThatItIsHealthyWithoutAKey) {
  for (const std::string name :
       {"", "semel.v1.TaskService", "semel.v1.WorkerService", "semel.v1.AdminService", "semel.v1.ScheduleService"}) {
    std::string response;
    const std::string request = name.empty() ? "" : "\x0a" + std::string(1, static_cast<char>(name.size())) + name;

    const grpc::Status status = raw_call("/grpc.health.v1.Health/Check", request, response);

    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response, "\x08\x01") << name;  // SERVING
  }
}

TEST_F(GrpcServer, DescribesItsServices) {
  grpc::GenericStub stub(rpc().channel);
  const auto context = context_for("");
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto next = [&] { return queue.Next(&tag, &ok) && ok; };
  auto stream =
      stub.PrepareCall(context.get(), "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  stream->StartCall(nullptr);
  ASSERT_TRUE(next());
  const grpc::Slice list_services(std::string("\x3a\x00", 2));  // ServerReflectionRequest.list_services = ""
  stream->Write(grpc::ByteBuffer(&list_services, 1), nullptr);
  ASSERT_TRUE(next());
  grpc::ByteBuffer answer;
  stream->Read(&answer, nullptr);
  ASSERT_TRUE(next());

  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(answer.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& each : slices) text.append(reinterpret_cast<const char*>(each.begin()), each.size());
  for (const char* name :
       {"semel.v1.TaskService", "semel.v1.WorkerService", "semel.v1.AdminService", "semel.v1.ScheduleService"})
    EXPECT_THAT(text, HasSubstr(name));
  context->TryCancel();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  next();
}

TEST_F(GrpcServer, WantsAKeyThatMay) {
  const Json task{{"handler", "charge"}};
  EXPECT_EQ(submit_rpc("", task).status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(submit_rpc("nonsense", task).code(), "UNAUTHORIZED");
  EXPECT_EQ(submit_rpc("viewer", task).status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(submit_rpc("maker", task).ok());
  const std::string id = create_rpc("maker", task);
  EXPECT_EQ(get_rpc("other", id).code(), "NOT_FOUND");
  EXPECT_EQ(get_rpc("globex", id).code(), "NOT_FOUND");
  EXPECT_TRUE(get_rpc("maker", id).ok());
}

TEST_F(GrpcServer, AMessageOverTheLimitIsRefusedAndTheConnectionGoesOn) {
  v1::SubmitTasksRequest request;
  for (int i = 0; i < 18; ++i) {
    request.add_tasks()->set_handler("charge");
    request.mutable_tasks(i)->set_context('"' + std::string(1'000'000, 'x') + '"');
  }

  const auto answer = ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTasks, "reader", request);

  EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(submit_rpc("reader", {{"handler", "charge"}}).ok());
}

TEST_F(GrpcServer, CountsCallsByServiceMethodAndStatus) {
  create_rpc("reader", {{"handler", "charge"}});
  create_rpc("reader", {{"handler", "charge"}});
  submit_rpc("nonsense", {{"handler", "charge"}});

  const std::string metrics = get("operator", "/metrics").body;

  EXPECT_THAT(metrics, HasSubstr(R"(semel_grpc_requests_total{code="OK",method="SubmitTask",)"
                                 R"(service="semel.v1.TaskService"} 2)"));
  EXPECT_THAT(metrics, HasSubstr(R"(semel_grpc_requests_total{code="UNAUTHENTICATED",method="SubmitTask",)"
                                 R"(service="semel.v1.TaskService"} 1)"));
  EXPECT_THAT(metrics, HasSubstr("semel_grpc_request_seconds_count 3"));
}

TEST_F(GrpcServer, ABatchThatTheCommitQueueCannotTakeIsRefusedTaskByTask) {
  options_.commits.commands_max = 8;
  restart();
  connect_rpc();
  v1::SubmitTasksRequest request;
  for (int i = 0; i < 9; ++i) request.add_tasks()->set_handler("charge");

  const auto answer = ask_rpc(*rpc().tasks, &v1::TaskService::Stub::SubmitTasks, "reader", request);

  ASSERT_TRUE(answer.ok());
  for (const v1::SubmitTaskResult& each : answer.response.results()) EXPECT_EQ(each.error().code(), "UNAVAILABLE");
}

class FewCalls : public GrpcServer {
 protected:
  FewCalls() { options_.grpc->calls_max = 2; }
};

TEST_F(FewCalls, OneTooManyIsToldToComeBackLater) {
  WorkerClient first(rpc());
  WorkerClient second(rpc());
  for (WorkerClient* each : {&first, &second}) {
    each->hello(0);
    each->send({{"heartbeats", {{{"attempt_id", "no"}}}}});
    ASSERT_TRUE(each->read().has_value());
  }

  const auto refused = submit_rpc("reader", {{"handler", "charge"}});

  expect_status(refused.status, grpc::StatusCode::UNAVAILABLE, "too many calls");
  first.close();
  EXPECT_TRUE(first.finish().ok());
  while (instance().grpc_calls() > 1) std::this_thread::yield();  // it is over a little later here than there
  EXPECT_TRUE(submit_rpc("reader", {{"handler", "charge"}}).ok());
}

class FewStreams : public GrpcServer {
 protected:
  FewStreams() { options_.grpc->streams_max = 1; }
};

TEST_F(FewStreams, OneCallWaitsForTheOtherOnItsConnectionAndOthersDoNot) {
  WorkerClient worker(rpc());
  worker.hello(0);
  worker.send({{"heartbeats", {{{"attempt_id", "no"}}}}});
  ASSERT_TRUE(worker.read().has_value());
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer reader");
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  v1::SubmitTaskResponse response;

  const grpc::Status waited =
      rpc().tasks->SubmitTask(&context, make<v1::SubmitTaskRequest>({{"handler", "charge"}}), &response);

  EXPECT_EQ(waited.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  connect_rpc();
  EXPECT_TRUE(submit_rpc("reader", {{"handler", "charge"}}).ok());
}

TEST_F(GrpcServer, DoesNotShareItsPortWithAnother) {
  ServerFixture::stop();
  TempDir other;
  server::InstanceOptions options = options_;
  ServerFixture::start();
  const std::string address = instance().grpc_address();
  options.store.target.place = other / "b.db";
  options.grpc->port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));

  EXPECT_THROW(server::Instance(options, clock_, keys_), std::runtime_error);
}

class GrpcTls : public GrpcServer {
 protected:
  GrpcTls() : certificate_(make_certificate(folder_ / "", "first")) {
    options_.grpc->tls = rpc::TlsFiles{certificate_.certificate, certificate_.key};
    options_.http.tls = http::TlsFiles{certificate_.certificate, certificate_.key};
  }
  void SetUp() override { instance_.emplace(options_, clock_, keys_); }
  void TearDown() override { instance_.reset(); }

  static std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  /// What a call comes to over a new connection that trusts this certificate alone.
  grpc::StatusCode call_trusting(const std::filesystem::path& certificate) {
    grpc::SslCredentialsOptions trusted;
    trusted.pem_root_certs = text_of(certificate);
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("localhost");
    RpcClient client(instance_->grpc_address(), grpc::SslCredentials(trusted), arguments);
    v1::SubmitTaskResponse response;
    return client.tasks
        ->SubmitTask(context_for("reader").get(), make<v1::SubmitTaskRequest>({{"handler", "charge"}}), &response)
        .error_code();
  }

  Certificate certificate_;
  std::optional<server::Instance> instance_;
};

TEST_F(GrpcTls, ServesThoseWhoTrustItsCertificateAndNoOthers) {
  const Certificate foreign = make_certificate(folder_ / "", "foreign");

  EXPECT_EQ(call_trusting(certificate_.certificate), grpc::StatusCode::OK);
  EXPECT_EQ(call_trusting(foreign.certificate), grpc::StatusCode::UNAVAILABLE);
  RpcClient plain(instance_->grpc_address());
  v1::SubmitTaskResponse response;
  EXPECT_EQ(
      plain.tasks
          ->SubmitTask(context_for("reader").get(), make<v1::SubmitTaskRequest>({{"handler", "charge"}}), &response)
          .error_code(),
      grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcTls, GivesNewConnectionsTheNewCertificateAfterAReload) {
  const std::filesystem::path first = folder_ / "kept.pem";
  std::filesystem::copy_file(certificate_.certificate, first);
  ASSERT_EQ(call_trusting(first), grpc::StatusCode::OK);
  const Certificate second = make_certificate(folder_ / "", "second");
  const std::filesystem::path kept_second = folder_ / "kept-second.pem";
  std::filesystem::copy_file(second.certificate, kept_second);
  replace_certificate(certificate_, second);
  EXPECT_EQ(call_trusting(first), grpc::StatusCode::OK);  // not before it is said

  ASSERT_TRUE(instance_->reload_certificate().has_value());

  EXPECT_EQ(call_trusting(kept_second), grpc::StatusCode::OK);
  EXPECT_EQ(call_trusting(first), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(GrpcTls, KeepsItsCertificateWhenTheNewFilesAreNoGood) {
  const std::filesystem::path first = folder_ / "kept.pem";
  std::filesystem::copy_file(certificate_.certificate, first);
  std::ofstream(certificate_.key) << "no key";

  EXPECT_FALSE(instance_->reload_certificate().has_value());

  EXPECT_EQ(call_trusting(first), grpc::StatusCode::OK);
}

/// To take it down with the last server may wait ten seconds for a socket.
TEST_F(GrpcServer, LeavesTheLibraryUpForTheProcess) {
  std::string answer;
  ASSERT_TRUE(raw_call("/grpc.health.v1.Health/Check", "", answer).ok());

  TearDown();

  EXPECT_NE(grpc_is_initialized(), 0);
}

}  // namespace
}  // namespace semel::test
