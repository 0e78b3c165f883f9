#include <gmock/gmock.h>
#include <array>
#include <ostream>
#include <set>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// The tables of the identity rules, whole, through HTTP: reuse × state of the holder × on_duplicate × who
/// asks. What is expected is written down here anew, from the rules and not from the code.
namespace semel::test {
namespace {

struct Asker {
  const char* name;
  const char* key;         // asks
  const char* holder_key;  // created the holder
  bool may_read;
};
constexpr std::array askers{Asker{"a reader", "reader", "other", true},
                            Asker{"a create-only key", "maker", "other", false},
                            Asker{"the create-only key that created the holder", "maker", "maker", true}};
constexpr std::array reuses{"allow_duplicate_failed_only", "reject_duplicate", "allow_duplicate"};
constexpr std::array modes{"reject", "describe", "return_existing"};

struct HolderState {
  State state;
  const char* name;
  bool open;
  bool taken_over_by_default;  // by allow_duplicate_failed_only
};
constexpr std::array holder_states{
    HolderState{State::pending, "pending", true, false},      HolderState{State::running, "running", true, false},
    HolderState{State::completed, "completed", false, false}, HolderState{State::failed, "failed", false, true},
    HolderState{State::cancelled, "cancelled", false, true},  HolderState{State::timed_out, "timed_out", false, true},
};
void PrintTo(const HolderState& holder, std::ostream* out) { *out << holder.name; }

struct Holder {
  std::string id;
  std::string key;
  std::string closed_at;  // empty while open
};

class AnswerMatrix : public ServerFixture, public testing::WithParamInterface<HolderState> {
 protected:
  bool is_taken_over(const std::string& reuse) const {
    if (GetParam().open || reuse == "reject_duplicate") return false;
    return reuse == "allow_duplicate" || GetParam().taken_over_by_default;
  }

  Holder make_holder(const std::string& created_by) {
    Holder holder;
    holder.key = "order-" + std::to_string(++count_);
    const std::string queue = "q" + std::to_string(count_);
    holder.id = create(created_by, submission_of(holder.key, queue));
    bring_to(GetParam().state, holder.id, queue);
    if (!GetParam().open) holder.closed_at = to_rfc3339(clock_.now());
    clock_.advance(1s);
    return holder;
  }

  static Json submission_of(const std::string& key, const std::string& queue) {
    return {{"handler", "charge"}, {"context", {{"order", 7}}}, {"idempotency_key", key}, {"queue", queue}};
  }

  /// What must stand beside `result` and `error` of the holder's state.
  void add_outcome(Json& expected) const {
    if (GetParam().state == State::completed) expected["result"] = result;
    if (GetParam().state == State::failed) expected["error"] = failure;
    if (GetParam().state == State::timed_out) {
      expected["error"] = {{"type", "LEASE_ENDED"},
                           {"message", "attempt 1 by worker 'w1' ended without an answer: its lease ran out"}};
    }
  }

  Json described(const Holder& holder) const {
    const std::string about = "Task with ID '" + holder.key + "' ";
    const std::string status = GetParam().name;
    Json error{{"existing_execution_id", holder.id}};
    if (GetParam().open) {
      error.update({{"code", "TASK_ALREADY_EXISTS"}, {"status", status}, {"message", about + "is already " + status}});
    } else if (GetParam().state == State::completed) {
      error.update({{"code", "TASK_ALREADY_COMPLETED"},
                    {"completed_at", holder.closed_at},
                    {"message", about + "already completed successfully"}});
      add_outcome(error);
    } else {
      error.update({{"code", "TASK_ALREADY_CLOSED"},
                    {"status", status},
                    {"closed_at", holder.closed_at},
                    {"message", about + "is already " + status}});
      add_outcome(error);
    }
    return {{"error", error}};
  }

  Json existing(const Holder& holder) const {
    Json body{{"task_uuid", holder.id},
              {"task_id", holder.key},
              {"step_count", 1},
              {"status", GetParam().name},
              {"message", "Task exists already"},
              {"idempotency_key_used", true},
              {"idempotency_key_new", false}};
    if (!GetParam().open) body["closed_at"] = holder.closed_at;
    add_outcome(body);
    return body;
  }

  /// Whose identity was taken over is told only to those who may read it.
  static void expect_new(const HttpAnswer& answer, const Holder& holder, bool may_read) {
    Json body = answer.json();
    ASSERT_EQ(answer.status, 201) << answer.body;
    EXPECT_NE(body["task_uuid"], holder.id);
    if (may_read) EXPECT_EQ(body["previous_execution_id"], holder.id);
    else EXPECT_FALSE(body.contains("previous_execution_id"));
    body.erase("task_uuid");
    body.erase("previous_execution_id");
    EXPECT_EQ(body, (Json{{"task_id", holder.key},
                          {"step_count", 1},
                          {"status", "pending"},
                          {"message", "Task created successfully"},
                          {"idempotency_key_used", true},
                          {"idempotency_key_new", true}}));
  }

  void expect_answer(const Asker& asker, const std::string& reuse, const std::string& mode) {
    const Holder holder = make_holder(asker.holder_key);
    Json request = submission_of(holder.key, "elsewhere");
    request.update({{"reuse", reuse}, {"on_duplicate", mode}});

    const HttpAnswer answer = submit(asker.key, request);

    if (is_taken_over(reuse)) return expect_new(answer, holder, asker.may_read);
    if (!asker.may_read || mode == "reject") return expect_opaque(answer);
    EXPECT_EQ(answer.status, mode == "describe" ? 409 : 200);
    EXPECT_EQ(answer.json(), mode == "describe" ? described(holder) : existing(holder));
  }

 private:
  int count_ = 0;
};

TEST_P(AnswerMatrix, EveryReuseModeAndAskerGetsTheAnswerOfTheTable) {
  for (const char* reuse : reuses) {
    for (const char* mode : modes) {
      for (const Asker& asker : askers) {
        SCOPED_TRACE(std::string("reuse ") + reuse + ", on_duplicate " + mode + ", asked by " + asker.name);
        expect_answer(asker, reuse, mode);
      }
    }
  }
}

TEST_P(AnswerMatrix, WithoutSettingsAFailedHolderIsTakenOverAndAnyOtherIsTheOpaque409) {
  const Holder holder = make_holder("other");

  const HttpAnswer answer = submit("reader", submission_of(holder.key, "elsewhere"));

  if (GetParam().taken_over_by_default) return expect_new(answer, holder, true);
  expect_opaque(answer);
}

TEST_P(AnswerMatrix, WhoMayNotReadATakenOverHolderIsNeverToldItsId) {
  if (GetParam().open) return;
  const Holder holder = make_holder("other");
  Json request = submission_of(holder.key, "elsewhere");
  request["reuse"] = "allow_duplicate";

  const std::string id = create("maker", request);

  EXPECT_THAT(get("maker", "/v1/tasks/" + id).body, testing::Not(testing::HasSubstr(holder.id)));
  EXPECT_THAT(get("maker", "/v1/tasks/by-key?key=" + holder.key).body, testing::Not(testing::HasSubstr(holder.id)));
  EXPECT_THAT(get("reader", "/v1/tasks/" + id).body, testing::HasSubstr(holder.id));
}

TEST_P(AnswerMatrix, ATakenOverHolderKeepsItsHistory) {
  if (GetParam().open) return;
  const Holder holder = make_holder("other");
  Json request = submission_of(holder.key, "elsewhere");
  request["reuse"] = "allow_duplicate";

  const std::string id = create("reader", request);

  EXPECT_EQ(task(id)["previous_execution_id"], holder.id);
  EXPECT_EQ(task(holder.id)["status"], GetParam().name);
  EXPECT_EQ(task(holder.id)["identity"]["held"], false);
  EXPECT_EQ(task(id)["identity"]["held"], true);
}

INSTANTIATE_TEST_SUITE_P(Holders, AnswerMatrix, testing::ValuesIn(holder_states),
                         [](const auto& info) { return info.param.name; });

class OpaqueAnswer : public ServerFixture {};

TEST_F(OpaqueAnswer, IsTheSameToTheByteInItsHeadToo) {
  const Json request{{"handler", "charge"}, {"idempotency_key", "order-1"}};
  create("other", request);
  std::set<std::string> heads;

  for (const char* mode : modes) {
    for (const char* context : {"{}", "[1,2,3]", "\"a much longer context than the one of the holder\""}) {
      Json duplicate = request;
      duplicate.update({{"on_duplicate", mode}, {"context", Json::parse(context)}});
      HttpAnswer answer = submit("maker", duplicate);
      expect_opaque(answer);
      EXPECT_EQ(answer.headers.erase("x-request-id"), 1u);
      answer.headers.erase("date");
      heads.insert(Json(answer.headers).dump());
    }
  }

  EXPECT_EQ(heads.size(), 1u) << *heads.begin();
}

}  // namespace
}  // namespace semel::test
