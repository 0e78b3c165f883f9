#include "api/grpc/status.hpp"

#include <set>

#include "api/codec/error.hpp"
#include "api/grpc/values.hpp"
#include "tests/grpc/grpc_fixture.hpp"

/// How refusals and small values travel.
namespace semel::test {
namespace {

v1::StatusDetails details_of(const grpc::Status& status) {
  v1::StatusDetails details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

v1::Error error_in(const v1::StatusDetails& details) {
  v1::Error error;
  EXPECT_TRUE(details.details(0).UnpackTo(&error));
  return error;
}

TEST(GrpcStatusOf, EveryCodeIsThatOfItsTableWithTheWholeErrorAsDetail) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::unavailable); ++i) {
    const auto code = static_cast<ErrorCode>(i);

    const grpc::Status status = rpc::status_of(Error{code, "why"});

    EXPECT_EQ(static_cast<int>(status.error_code()), static_cast<int>(codec::grpc_status(code)));
    EXPECT_NE(status.error_code(), grpc::StatusCode::OK);
    EXPECT_EQ(status.error_message(), "why");
    const v1::StatusDetails details = details_of(status);
    EXPECT_EQ(details.code(), static_cast<int>(status.error_code()));
    const v1::Error error = error_in(details);
    EXPECT_EQ(error.code(), codec::wire_name(code));
    EXPECT_EQ(error.message(), "why");
    EXPECT_EQ(error.grpc_status(), details.code());
    EXPECT_EQ(details.details_size() == 2, codec::may_come_again(code)) << error.code();
  }
}

TEST(GrpcStatusOf, WhatMaySucceedInAMomentSaysWhen) {
  const v1::StatusDetails details = details_of(rpc::status_of(Error{ErrorCode::tenant_limit, "slower"}));

  ASSERT_EQ(details.details_size(), 2);
  EXPECT_EQ(details.details(1).type_url(), "type.googleapis.com/google.rpc.RetryInfo");
  v1::RetryInfo retry;
  ASSERT_TRUE(retry.ParseFromString(details.details(1).value()));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
}

TEST(GrpcStatusOf, ALargeResultIsLeftOutAndSaidToBe) {
  codec::Refusal refusal{ErrorCode::task_already_completed, "done"};
  refusal.existing = domain::ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc");
  refusal.result = '"' + std::string(1 << 20, 'x') + '"';

  const grpc::Status status = rpc::status_of(refusal);

  const v1::Error error = error_in(details_of(status));
  EXPECT_TRUE(error.shortened());
  EXPECT_FALSE(error.has_result());
  EXPECT_EQ(error.existing_execution_id(), "019bddae-b818-7d82-b7c5-bd42e5db27fc");
  EXPECT_LT(status.error_details().size(), 5'000u);
}

TEST(GrpcStatusOf, ASmallResultIsThere) {
  codec::Refusal refusal{ErrorCode::task_already_completed, "done"};
  refusal.result = "[9007199254740993]";

  const v1::Error error = error_in(details_of(rpc::status_of(refusal)));

  EXPECT_FALSE(error.shortened());
  EXPECT_EQ(error.result(), "[9007199254740993]");
}

TEST(GrpcStatusOf, LongMessagesPointersAndViolationsAreCutToWhatHeadersTake) {
  codec::Refusal refusal{ErrorCode::invalid_context, std::string(10'000, 'm')};
  for (int i = 0; i < 50; ++i) refusal.violations.push_back({"/" + std::string(500, 'p'), "must be shorter"});
  refusal.pointers.emplace(50, "/" + std::string(500, 'p'));

  const grpc::Status status = rpc::status_of(refusal);

  EXPECT_LT(status.error_message().size() + status.error_details().size(), 6'000u);
  EXPECT_TRUE(error_in(details_of(status)).shortened());
}

/// Enumerators are converted by their place: their names must be those of the domain.
template <typename Wire, typename Domain>
void expect_same_names(const google::protobuf::EnumDescriptor& type, const std::string& prefix, Domain last) {
  ASSERT_EQ(type.value_count(), static_cast<int>(last) + 2);
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Domain>(i);
    std::string name(domain::name_of(value));
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto* wire = type.FindValueByNumber(static_cast<int>(rpc::to_wire<Wire>(value)));
    ASSERT_NE(wire, nullptr);
    EXPECT_EQ(wire->name(), prefix + name);
  }
}

TEST(GrpcEnums, HaveTheNamesOfTheDomain) {
  expect_same_names<v1::TaskStatus>(*v1::TaskStatus_descriptor(), "TASK_STATUS_", domain::State::timed_out);
  expect_same_names<v1::Reuse>(*v1::Reuse_descriptor(), "REUSE_", domain::Reuse::allow_duplicate);
  expect_same_names<v1::OnDuplicate>(*v1::OnDuplicate_descriptor(), "ON_DUPLICATE_",
                                     domain::OnDuplicate::return_existing);
  expect_same_names<v1::OnPayloadMismatch>(*v1::OnPayloadMismatch_descriptor(), "ON_PAYLOAD_MISMATCH_",
                                           domain::OnMismatch::ignore);
  expect_same_names<v1::Backoff>(*v1::Backoff_descriptor(), "BACKOFF_", domain::Backoff::fibonacci);
}

TEST(GrpcTimes, KeepMillisecondsAndRefuseWhatNoTextCouldSay) {
  google::protobuf::Timestamp time;
  rpc::set_time(&time, from_ms(1'700'000'000'123));
  EXPECT_EQ(rpc::read_time("run_at", time), from_ms(1'700'000'000'123));
  time.set_seconds(-1);
  EXPECT_EQ(rpc::read_time("run_at", time).error().message, "run_at must be a time from 1970 to 9999");
  time.set_seconds(253'402'300'800);
  EXPECT_FALSE(rpc::read_time("run_at", time).has_value());
  time.set_seconds(1);
  time.set_nanos(1'000'000'000);
  EXPECT_FALSE(rpc::read_time("run_at", time).has_value());
}

TEST(GrpcDurations, KeepMillisecondsAndRefuseNegativeOnes) {
  google::protobuf::Duration duration;
  rpc::set_duration(&duration, 90'500ms);
  EXPECT_EQ(rpc::read_duration("delay", duration), 90'500ms);
  duration.set_seconds(-1);
  EXPECT_EQ(rpc::read_duration("delay", duration).error().message, "delay must be a duration from 0 to 100 years");
  duration.set_seconds(36'525LL * 86'400 + 1);
  EXPECT_FALSE(rpc::read_duration("delay", duration).has_value());
}

}  // namespace
}  // namespace semel::test
