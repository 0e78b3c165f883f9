#include <gtest/gtest.h>

#include <future>

#include "engine/engine.hpp"
#include "tests/unit/engine/fake_store.hpp"

namespace semel::engine::bulk_test {
namespace {

/// Lists four open tasks, whatever is asked.
class FourTasks final : public semel::test::FakeStore {
 public:
  Result<Page> list(const ListQuery&) override { return Page{std::vector<domain::Execution>(4), std::nullopt}; }
};

class BulkAnswers : public ::testing::Test {
 protected:
  /// By an engine that is made when all is said to its store.
  Result<BulkAnswer> cancel_all() {
    Engine engine{store_, EngineOptions{}};
    std::promise<Result<BulkAnswer>> told;
    ListQuery query;
    query.states = {domain::State::pending};
    engine.bulk(owner_, BulkAct::cancel, false, query,
                [&](Result<BulkAnswer> answer) { told.set_value(std::move(answer)); });
    return told.get_future().get();
  }
  /// The first of the cancellations is answered so, the others are carried out.
  void answer_first(const Error& error) {
    store_.outcome = [this, error](const Command& command) -> Outcome {
      if (!std::holds_alternative<Cancel>(command)) return semel::test::FakeStore::usual(command);
      if (std::exchange(is_first_, false)) return Rejected{error};
      return CancelAnswer{CancelAnswer::Kind::cancelled, domain::State::cancelled, ""};
    };
  }

  FourTasks store_;

 private:
  bool is_first_ = true;
  const domain::Principal owner_{"acme", "key-1", domain::all_permissions};
};

TEST_F(BulkAnswers, TellHowManyWereDoneWhereOneCouldNotBe) {
  answer_first({ErrorCode::unavailable, "not now"});

  const Error error = cancel_all().error();

  EXPECT_EQ(error.code, ErrorCode::unavailable);
  EXPECT_EQ(error.message, "3 of 4 were done; of the others: not now");
}

TEST_F(BulkAnswers, TellThatTheOutcomeIsUnknown) {
  store_.before_outcomes = [](std::size_t) { throw OutcomeUnknown("the connection was closed"); };

  EXPECT_EQ(cancel_all().error().code, ErrorCode::outcome_unknown);
}

}  // namespace
}  // namespace semel::engine::bulk_test
