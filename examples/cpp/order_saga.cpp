// An order that is paid and shipped, or taken back as a whole.
//
//   ./order_saga [FILE]
#include "order_saga.hpp"

#include <semel/embed.hpp>

#include <iostream>

namespace {

void say(const std::string& what, const Order& order) { std::cout << order.id << ": " << what << std::endl; }

void add_tasks(semel::Worker& worker) {
  worker.task("reserve_stock", [](Order order) { say("reserved " + order.item, order); });
  worker.task("release_stock", [](Order order) { say("released " + order.item, order); });
  worker.task("charge_card", [](semel::TaskContext& ctx, Order order) {
    // A bank that knows idempotency keys is given ctx.idempotency_key("charge"): the same in each attempt.
    say("charged " + std::to_string(order.cents) + " cents in attempt " + std::to_string(ctx.attempt()), order);
  });
  worker.task("refund_card", [](Order order) { say("refunded " + std::to_string(order.cents) + " cents", order); });
  worker.task("ship", [](Order order) {
    // To try again would not help, and the server is told so.
    if (order.item == "piano") throw semel::Failure("too_heavy", "nobody carries a piano").not_retryable();
    say("shipped " + order.item, order);
    return "parcel-" + order.id;
  });
}

void tell(const std::string& id, const semel::Settled<std::string>& settled) {
  if (settled) std::cout << id << " is on its way as " << settled.value() << std::endl;
  else std::cout << id << " was cancelled: " << settled.failure().what() << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  semel::Client client = semel::embed(argc > 1 ? argv[1] : "orders.db");
  semel::Worker worker(client);
  add_tasks(worker);
  worker.workflow("process_order", process_order);
  worker.start();

  for (const Order& order : {Order{"order-1", "book", 1250}, Order{"order-2", "piano", 950000}}) {
    const auto handle = client.start_workflow<std::string>("process_order", order.id, order);
    tell(order.id, handle.settled());  // a failure as a value; result() would throw it
  }
}
