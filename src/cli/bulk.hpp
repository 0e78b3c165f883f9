#pragma once
#include <string>

#include "cli/client.hpp"
#include "cli/client/query.hpp"

namespace semel::cli {

/// One act on all tasks that fit a filter.
struct BulkCall {
  std::string verb;        // of POST /v1/tasks:verb
  std::string participle;  // "cancelled"
  std::string doing;       // "cancelling"
  Query filter;
  bool yes = false;  // else they are only counted
};

/// Counts them, acts on them page by page with a progress bar, and tells what was done. The exit code.
int run_bulk(Client& client, const BulkCall& call);

}  // namespace semel::cli
