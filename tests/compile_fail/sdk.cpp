// Nothing here may compile. Each line that says `expect:` must be named by the compiler, with that text; all of them
// are tried by one call of it (tests/unit/sdk/compile_fail_test.cpp).
#include <memory>
#include <string>
#include <vector>

#include "semel/semel.hpp"

struct Order {
  std::string id;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id)

semel::Workflow<int> unsafe(semel::WorkflowContext& ctx) {
  const auto shared = std::make_shared<int>(1);
  co_await ctx.task<int>("a", Order{"7"});         // expect: name the value first
  co_await ctx.child<int>("a", Order{"7"});        // expect: name the value first
  ctx.run("b", [shared] { return *shared; });      // expect: name the lambda first
  co_await ctx.task<int>("c", 1, {.queue = "q"});  // expect: error
  co_await ctx.task<int>("d", {{"a", 1}});         // expect: error
  semel::Pending<int> pending = ctx.task<int>("e");
  co_await semel::all(pending, ctx.task<int>("f"));           // expect: error
  co_await semel::any(pending, ctx.task<int>("f"));           // expect: error
  co_await semel::race(pending, ctx.timer({}));               // expect: error
  co_await ctx.promise<int>("g", {.timeout = {}});            // expect: error
  co_await ctx.child<int>("h", 1, {.workflow_id = "child"});  // expect: error
  semel::Pending<int> copy = pending;                         // expect: error
  co_return co_await copy;
}

semel::Workflow<int> by_reference(semel::WorkflowContext&, const Order& order) { co_return int(order.id.size()); }
semel::Workflow<int> without_context(Order order) { co_return int(order.id.size()); }
int no_workflow(semel::WorkflowContext&) { return 1; }
int two_inputs(int left, int right) { return left + right; }

void registered(semel::Worker& worker) {
  worker.workflow("a", by_reference);     // expect: takes its input by value
  worker.workflow("b", without_context);  // expect: takes semel::WorkflowContext& first
  worker.workflow("c", no_workflow);      // expect: a workflow returns semel::Workflow<T>
  worker.task("d", two_inputs);           // expect: a handler takes semel::TaskContext&, one input
}
