#pragma once
#include <memory>
#include <string>
#include <vector>

#include "store/common/ceiling.hpp"

namespace semel::store {

struct PostgresCeilingOptions {
  std::string target;       // a new database, or a copy of a store's
  int clients = 4;          // connections that commit at the same time
  std::size_t group = 16;   // tasks a commit of each
  std::size_t prefill = 0;  // identities that are there before
  bool is_copy = false;     // with tasks that are ready to be claimed
  std::size_t context_bytes = 150;
  std::string result = "{}";  // of a completed task
};

/// Whole groups as arrays in one statement, over several connections: the quickest that PostgreSQL does the same row
/// changes.
class PostgresCeiling final : public Ceiling {
 public:
  explicit PostgresCeiling(PostgresCeilingOptions options);
  ~PostgresCeiling() override;

  Rate measure(std::initializer_list<Step> steps, Duration time, std::size_t tasks_max = SIZE_MAX) override;
  Rate measure_reads(Duration time) override;

 private:
  class Client;

  const PostgresCeilingOptions options_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace semel::store
