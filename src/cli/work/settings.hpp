#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "cli/work/outcome.hpp"

namespace semel::cli::work {

/// What a worker was told to do.
struct Settings {
  std::string worker_id = {};
  std::vector<std::string> queues = {};
  std::vector<std::string> handlers = {};  // none = any
  std::vector<std::string> command = {};   // the program and its arguments
  std::vector<std::string> environment = {};
  int concurrency = 1;
  Duration lease = 30s;
  Duration grace = 10s;
  std::optional<std::int64_t> tasks_max = {};
  bool exits_when_empty = false;
  bool sends_envelope = false;  // handlers get all that they work on, not the context alone
  OutputForm form = OutputForm::json;
};

}  // namespace semel::cli::work
