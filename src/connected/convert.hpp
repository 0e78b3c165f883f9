#pragma once
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <semel/v1/admin.pb.h>
#include <semel/v1/promise.pb.h>
#include <semel/v1/task.pb.h>
#include <semel/v1/worker.pb.h>
#include <semel/v1/workflow.pb.h>

#include "sdk/backend.hpp"

/// What the SDK says ↔ messages. What they say is checked by the server.
namespace semel::connected {

void set_time(google::protobuf::Timestamp* to, Time time);
void set_duration(google::protobuf::Duration* to, Duration duration);
Time time_of(const google::protobuf::Timestamp& time);

/// Enumerators have the order of the SDK's, after UNSPECIFIED.
template <typename Wire, typename Value>
Wire to_wire(Value value) {
  return static_cast<Wire>(static_cast<int>(value) + 1);
}
Status status_of(v1::TaskStatus status);

void write(v1::SubmitTaskRequest& to, const sdk::Submission& submission);
void write(v1::StartWorkflowRequest& to, const sdk::WorkflowStart& start);
void write(v1::CreatePromiseRequest& to, const sdk::PromiseRequest& request);
void write(v1::RejectPromiseRequest& to, const sdk::FailWith& how);
void write(v1::QueueOptions& to, const QueueSettings& settings);
void write(v1::Retry& to, const Retry& retry);

void write(v1::Hello& to, const sdk::Poll& poll, const sdk::Lane& lane);
void write(v1::Outcome& to, const sdk::Answer& answer);
void write(v1::Heartbeat& to, const std::string& attempt_id, const sdk::Heartbeat& heartbeat);
void write(v1::ActivationAnswer& to, const sdk::ActivationEnd& end);

/// Of SubmitTask, StartWorkflow and Create, which name the same in different words.
sdk::Submitted submitted_of(const v1::SubmitTaskResponse& response);
sdk::Submitted submitted_of(const v1::StartWorkflowResponse& response);
sdk::Submitted submitted_of(const v1::CreatePromiseResponse& response);
sdk::Reply<sdk::Submitted> submitted_of(const v1::SubmitTaskResult& result);

sdk::State state_of(const v1::AwaitResultResponse& response);
sdk::HistoryPage page_of(const v1::GetHistoryResponse& response);
sdk::Lease lease_of(const v1::Lease& lease);
sdk::Reply<sdk::AnswerOutcome> outcome_of(const v1::OutcomeAnswer& answer);
sdk::Reply<sdk::AnswerOutcome> outcome_of(const v1::HeartbeatAnswer& answer);

}  // namespace semel::connected
