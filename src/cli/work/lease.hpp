#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace semel::cli::work {

/// One task to do, as a poll has answered it.
struct Lease {
  std::string attempt_id = {};
  std::string task_uuid = {};
  std::string task_id = {};
  std::string handler = {};
  std::string queue = {};
  std::string attempt = {};  // its number
  std::string context = {};  // JSON, byte for byte as it was submitted
  std::string effect_key = {};
  std::string dispatch_id = {};
  std::string external_id = {};
  std::string labels = "{}";     // a JSON object
  std::string traceparent = {};  // "" if there is none
  // Of a task of a run; "" for all others.
  std::string run_id = {};
  std::string task_key = {};
  std::string upstream = {};  // JSON: what the steps came to that it depends on
  std::string item = {};      // JSON; "" if it is none of a fan-out
  std::string index = {};     // of the item
};

/// The leases in the answer to a poll; refused when it is none.
Result<std::vector<Lease>> read_leases(std::string_view answer);

/// All that a handler works on, as one JSON object: {"context", "upstream"?, "item"?, "index"?}.
std::string envelope_of(const Lease& lease);

}  // namespace semel::cli::work
