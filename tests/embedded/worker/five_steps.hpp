#pragma once
#include <string>
#include <vector>

#include "semel/semel.hpp"

namespace semel::test {

/// Five tasks, two timers and a promise that one of the tasks keeps. Its result is what they gave, in order.
inline Workflow<std::vector<std::string>> five_steps(WorkflowContext& ctx, int number) {
  StepOptions patient = StepOptions().max_attempts(1'000);  // every kill costs one
  std::vector<std::string> tokens;
  tokens.push_back(co_await ctx.task<std::string>("step", number, patient));
  tokens.push_back(co_await ctx.task<std::string>("step", number, patient));
  co_await ctx.sleep(Duration(5));
  auto promise = ctx.promise<std::string>("promise-" + std::to_string(number));
  tokens.push_back(co_await ctx.task<std::string>("keep_promise", number, patient));
  tokens.push_back(co_await promise);
  co_await ctx.sleep(Duration(5));
  tokens.push_back(co_await ctx.task<std::string>("step", number, patient));
  tokens.push_back(co_await ctx.task<std::string>("step", number, patient));
  co_return tokens;
}

}  // namespace semel::test
