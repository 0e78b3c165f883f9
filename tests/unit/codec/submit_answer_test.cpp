#include <gtest/gtest.h>

#include <string>

#include "api/codec/answers.hpp"

/// The bodies of DESIGN §3.5, byte for byte.
namespace semel::codec {
namespace {

using domain::DuplicateAnswer;
using domain::Execution;
using domain::State;
using engine::DuplicateTask;
using engine::NewTask;

const std::string id_text = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
const std::string old_text = "019bddae-0000-7000-8000-000000000001";
const domain::ExecutionId holder = *domain::ExecutionId::parse(id_text);
const Time closed = from_ms(1768910400123);

const std::string opaque = R"({"error":{"code":"CONFLICT","message":"A task with this identity already exists. )"
                           R"(The task's identity strategy prevents duplicate creation."}})";

NewTask new_task() {
  NewTask task;
  task.id = holder;
  task.task_id = id_text;
  return task;
}

DuplicateTask duplicate_of(State state, DuplicateAnswer answer) {
  DuplicateTask duplicate;
  duplicate.answer = answer;
  duplicate.task_id = "order-1";
  duplicate.key_used = true;
  Execution execution;
  execution.spec.id = holder;
  execution.spec.key = "order-1";
  execution.state = state;
  if (domain::is_closed(state)) execution.closed_at = closed;
  duplicate.held.holder = domain::holder_of(execution);
  duplicate.held.execution = execution;
  return duplicate;
}

/// The same when retention has removed the execution.
DuplicateTask expired(DuplicateTask duplicate) {
  duplicate.held.holder.tombstone = true;
  duplicate.held.execution.reset();
  return duplicate;
}

void expect_answer(const engine::SubmitAnswer& answer, int status, const std::string& body) {
  const Encoded encoded = encode_submit(answer);
  EXPECT_EQ(encoded.status, status);
  EXPECT_EQ(encoded.body, body);
}

TEST(NewTaskAnswer, SaysThatTheTaskWasCreated) {
  expect_answer(new_task(), 201,
                R"({"task_uuid":")" + id_text + R"(","task_id":")" + id_text +
                    R"(","step_count":1,"status":"pending","message":"Task created successfully",)"
                    R"("idempotency_key_used":false,"idempotency_key_new":false})");
}

TEST(NewTaskAnswer, SaysWhichKeyAndWhoseIdentityItTook) {
  NewTask task = new_task();
  task.task_id = "order-\"1\"";
  task.key_used = true;
  task.previous = domain::ExecutionId::parse(old_text);

  expect_answer(task, 201,
                R"({"task_uuid":")" + id_text +
                    R"(","task_id":"order-\"1\"","step_count":1,"status":"pending",)"
                    R"("message":"Task created successfully","idempotency_key_used":true,"idempotency_key_new":true,)"
                    R"("previous_execution_id":")" +
                    old_text + R"("})");
}

TEST(NewTaskAnswer, CarriesTheResultAfterAWait) {
  NewTask task = new_task();
  task.state = State::completed;
  task.execution = duplicate_of(State::completed, DuplicateAnswer::describe).held.execution;
  task.execution->result = R"({ "receipt": 1.0 })";

  expect_answer(task, 201,
                R"({"task_uuid":")" + id_text + R"(","task_id":")" + id_text +
                    R"(","step_count":1,"status":"completed","message":"Task created successfully",)"
                    R"("idempotency_key_used":false,"idempotency_key_new":false,"result":{ "receipt": 1.0 },)"
                    R"("closed_at":"2026-01-20T12:00:00.123Z"})");
}

TEST(OpaqueAnswer, IsTheSameBytesInEveryCase) {
  for (const State state : domain::all_states) {
    DuplicateTask duplicate = duplicate_of(state, DuplicateAnswer::opaque);
    duplicate.held.execution->result = "1";
    duplicate.pointers = {"/a"};
    expect_answer(duplicate, 409, opaque);

    duplicate.key_used = false;
    duplicate.held.by_id = true;
    expect_answer(duplicate, 409, opaque);
    expect_answer(expired(duplicate), 409, opaque);
  }
}

TEST(OtherSubjectAnswer, SaysNothingOfTheHolder) {
  expect_answer(duplicate_of(State::running, DuplicateAnswer::other_subject), 409,
                R"({"error":{"code":"IDEMPOTENCY_KEY_CONFLICT","message":"This idempotency key is used by another )"
                R"(kind of execution, another named task or another handler."}})");
}

TEST(OtherPayloadAnswer, NamesThePointersThatDiffer) {
  DuplicateTask by_key = duplicate_of(State::running, DuplicateAnswer::other_payload);
  by_key.pointers = {"/amount", "/a~1b/\"q\""};
  DuplicateTask by_context = duplicate_of(State::running, DuplicateAnswer::other_payload);
  by_context.key_used = false;
  DuplicateTask by_id = by_key;
  by_id.held.by_id = true;
  const std::string begin = R"({"error":{"code":"IDEMPOTENCY_KEY_MISMATCH","message":"This )";

  expect_answer(by_key, 422,
                begin + R"(idempotency key was used with other content.","pointers":["/amount","/a~1b/\"q\""]}})");
  expect_answer(by_context, 422, begin + R"(identity was used with other content.","pointers":[]}})");
  expect_answer(by_id, 422,
                begin + R"(task_uuid was used with other content.","pointers":["/amount","/a~1b/\"q\""]}})");
}

TEST(DescribeAnswer, TellsAnOpenHolder) {
  for (const State state : {State::pending, State::running, State::suspended}) {
    const std::string status(name_of(state));

    expect_answer(duplicate_of(state, DuplicateAnswer::describe), 409,
                  R"({"error":{"code":"TASK_ALREADY_EXISTS","message":"Task with ID 'order-1' is already )" + status +
                      R"(","existing_execution_id":")" + id_text + R"(","status":")" + status + R"("}})");
  }
}

TEST(DescribeAnswer, TellsACompletedHolderWithItsResult) {
  DuplicateTask with_result = duplicate_of(State::completed, DuplicateAnswer::describe);
  with_result.held.execution->result = R"({"receipt":"r-1"})";
  const DuplicateTask with_nothing = duplicate_of(State::completed, DuplicateAnswer::describe);
  const std::string begin =
      R"({"error":{"code":"TASK_ALREADY_COMPLETED","message":"Task with ID 'order-1' already completed successfully",)"
      R"("existing_execution_id":")" +
      id_text + R"(","completed_at":"2026-01-20T12:00:00.123Z",)";

  expect_answer(with_result, 409, begin + R"("result":{"receipt":"r-1"}}})");
  expect_answer(with_nothing, 409, begin + R"("result":null}})");
  expect_answer(expired(with_result), 409, begin + R"("result_expired":true}})");
}

TEST(DescribeAnswer, TellsAnUnsuccessfulHolderWithItsError) {
  for (const State state : {State::failed, State::cancelled, State::timed_out}) {
    DuplicateTask failed = duplicate_of(state, DuplicateAnswer::describe);
    failed.held.execution->error = R"({"message":"no funds","type":"Declined"})";
    const std::string status(name_of(state));
    const std::string begin =
        R"({"error":{"code":"TASK_ALREADY_CLOSED","message":"Task with ID 'order-1' is already )" + status +
        R"(","existing_execution_id":")" + id_text + R"(","status":")" + status +
        R"(","closed_at":"2026-01-20T12:00:00.123Z")";

    expect_answer(failed, 409, begin + R"(,"error":{"message":"no funds","type":"Declined"}}})");
    expect_answer(expired(failed), 409, begin + "}}");
  }
}

TEST(ReturnExistingAnswer, IsTheHolderWithItsResult) {
  DuplicateTask done = duplicate_of(State::completed, DuplicateAnswer::return_existing);
  done.held.execution->result = "[1]";
  DuplicateTask failed = duplicate_of(State::failed, DuplicateAnswer::return_existing);
  failed.held.execution->error = R"({"message":"m","type":"t"})";
  const auto begin = [](const std::string& status) {
    return R"({"task_uuid":")" + id_text + R"(","task_id":"order-1","step_count":1,"status":")" + status +
           R"(","message":"Task exists already","idempotency_key_used":true,"idempotency_key_new":false)";
  };

  expect_answer(duplicate_of(State::running, DuplicateAnswer::return_existing), 200, begin("running") + "}");
  expect_answer(done, 200, begin("completed") + R"(,"result":[1],"closed_at":"2026-01-20T12:00:00.123Z"})");
  expect_answer(failed, 200,
                begin("failed") + R"(,"error":{"message":"m","type":"t"},"closed_at":"2026-01-20T12:00:00.123Z"})");
  expect_answer(expired(done), 200,
                begin("completed") + R"(,"closed_at":"2026-01-20T12:00:00.123Z","result_expired":true})");
}

TEST(RefusedAnswer, IsItsError) {
  expect_answer(Error{ErrorCode::not_found, "no template a/b is registered"}, 404,
                R"({"error":{"code":"NOT_FOUND","message":"no template a/b is registered"}})");
  EXPECT_EQ(encode_refusal({ErrorCode::unavailable, "later"}).status, 503);
}

TEST(BatchAnswer, HasOneStatusAndBodyEachInOrder) {
  const Encoded encoded = encode_batch(
      {new_task(), duplicate_of(State::running, DuplicateAnswer::opaque), Error{ErrorCode::bad_request, "bad"}});

  EXPECT_EQ(encoded.status, 200);
  EXPECT_EQ(encoded.body, R"({"results":[{"status":201,"body":)" + encode_submit(new_task()).body +
                              R"(},{"status":409,"body":)" + opaque +
                              R"(},{"status":400,"body":{"error":{"code":"BAD_REQUEST","message":"bad"}}}]})");
}

}  // namespace
}  // namespace semel::codec
