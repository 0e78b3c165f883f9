#pragma once
#include <vector>

#include "ports/change.hpp"
#include "ports/ready.hpp"

namespace semel {

/// What was done to a store that several servers share, for those who wait or follow here.
struct News {
  Time now;                        // when it was decided
  std::vector<Change> changes{};   // of state, by other servers
  std::vector<Ready> ready{};      // told by other servers
  bool templates_changed = false;  // also by this server: who hears it reads them anew
  bool queues_changed = false;
  bool keys_changed = false;
  bool schedules_changed = false;
  bool leads_now = false;             // Store::leads() has become true
  bool something_was_missed = false;  // whoever waits should look for himself
};

}  // namespace semel
