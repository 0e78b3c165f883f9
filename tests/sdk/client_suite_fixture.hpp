#pragma once
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <functional>
#include <latch>
#include <map>
#include <mutex>
#include <thread>

#include "semel/semel.hpp"

/// What a program that uses the SDK sees, wherever the engine is: one suite for embed() and connect(). A stage gives
/// clients; when all of them and their workers are gone, restart() ends the engine and begins it again on what it has
/// stored.
namespace semel::suite {

using namespace std::chrono_literals;

struct Order {
  std::string id;
  int amount = 0;
};
inline void to_json(Json& json, const Order& order) { json = {{"id", order.id}, {"amount", order.amount}}; }
inline void from_json(const Json& json, Order& order) {
  json.at("id").get_to(order.id);
  json.at("amount").get_to(order.amount);
}

/// The code of the refusal; empty when it was taken.
inline std::string refusal(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const RequestRefused& refused) {
    return refused.code();
  }
  return "";
}

inline Workflow<std::string> process_order(WorkflowContext& ctx, Order order) {
  const std::string key = "payment-" + order.id;
  const auto receipt = co_await ctx.task<std::string>("charge", order, StepOptions().idempotency_key(key));
  co_await ctx.sleep(1ms);
  const auto approved = co_await ctx.promise<bool>("approve-" + order.id, PromiseOptions().timeout(1h));
  if (!approved) throw Failure("refused", "nobody wanted it");
  const auto note = co_await ctx.signal<std::string>("note");
  const auto shipped = co_await ctx.child<std::string>("ship", order.id);
  co_return receipt + " " + shipped + " " + note;
}

inline Workflow<std::string> ship(WorkflowContext& ctx, std::string id) {
  const auto parcel = co_await ctx.task<std::string>("pack", id);
  co_return "sent:" + parcel;
}

template <typename Stage>
class ClientSuite : public ::testing::Test {
 protected:
  Client client() { return stage_.client(); }
  void add_all(Worker& worker) {
    worker.task("charge", [this](TaskContext&, Order order) {
      ++charges_;
      return "paid:" + std::to_string(order.amount);
    });
    worker.task("pack", [](std::string id) { return "parcel-" + id; });
    worker.workflow("process_order", process_order);
    worker.workflow("ship", ship);
  }

  Stage stage_;
  std::atomic<int> charges_ = 0;
};
TYPED_TEST_SUITE_P(ClientSuite);

}  // namespace semel::suite
