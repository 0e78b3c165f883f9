#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "semel/time.hpp"

namespace semel::sdk {

/// One event of a workflow's history, as the server tells it.
struct Event {
  std::uint64_t sequence = 0;  // from 1
  Time at{};
  std::string kind{};      // "task_completed"
  std::string task_key{};  // "charge#3"; empty = of the workflow itself
  std::string detail{};    // a JSON object, or empty
};

struct HistoryPage {
  std::vector<Event> events{};
  bool has_more = false;
};

}  // namespace semel::sdk
