// Replays stored histories against the workflow of order_saga.hpp as it is now: what a deploy asks before it happens.
//
//   semel workflow replay --workflow-id order-1 --with ./order_saga_replay
//   ./order_saga_replay HISTORY.json…
#include <semel/replayer.hpp>

#include "order_saga.hpp"

int main(int argc, char** argv) {
  return semel::testkit::Replayer().workflow("process_order", process_order).run(argc, argv);
}
