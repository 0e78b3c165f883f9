// The workflow of order_saga.cpp, in a file of its own so that order_saga_replay.cpp can check changes of it.
#pragma once
#include <semel/semel.hpp>

#include <string>
#include <vector>

struct Order {
  std::string id;
  std::string item;
  int cents = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, item, cents)

// Either all of it happens, or what happened is taken back, last first: a saga.
inline semel::Workflow<std::string> process_order(semel::WorkflowContext& ctx, Order order) {
  std::vector<std::string> undo;  // the tasks that take back what was done so far
  std::string problem;
  try {
    // Noted before the step: a step that failed may have had its effect all the same.
    undo.push_back("release_stock");
    co_await ctx.task<void>("reserve_stock", order);
    undo.push_back("refund_card");
    // With a key, this order is paid once, whoever else asks for it.
    co_await ctx.task<void>("charge_card", order, semel::StepOptions().idempotency_key("payment-" + order.id));
    co_return co_await ctx.task<std::string>("ship", order);
  } catch (const semel::ExecutionFailed& failed) {
    problem = failed.type();
  }
  // C++ has no co_await in a catch block, so compensation comes after it. Its tasks are tried long and patiently: the
  // money must come back.
  for (auto step = undo.rbegin(); step != undo.rend(); ++step) {
    co_await ctx.task<void>(*step, order, semel::StepOptions().max_attempts(100));
  }
  throw semel::Failure("order_cancelled", problem);
}
