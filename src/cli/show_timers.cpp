#include "cli/show_timers.hpp"

namespace semel::cli {

void show_timers(const Client& client, const JsonView& shown) {
  Table table({"TIMER", "STATE", "FIRES", "EXTERNAL ID"});
  for (const JsonView& timer : shown["timers"].elements())
    table.add(
        {timer["timer_id"].text(), timer["state"].text(), client.time(timer["fire_at"]), timer["external_id"].text()});
  if (table.empty()) return;
  print("\n");
  client.print_table(table);
}

}  // namespace semel::cli
