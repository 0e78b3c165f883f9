#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "store/common/ceiling.hpp"

namespace semel::store {

struct SqliteCeilingOptions {
  std::filesystem::path file;  // a new one, or a copy of a store
  std::size_t group = 64;      // tasks a commit
  std::size_t prefill = 0;     // identities that are there before
  std::size_t ready = 0;       // the newest tasks of the copy, which are ready to be claimed
  std::size_t context_bytes = 150;
  std::string result = "{}";  // of a completed task
};

/// One connection, one fsync a commit. Opens the store's schema in its file.
class SqliteCeiling final : public Ceiling {
 public:
  explicit SqliteCeiling(SqliteCeilingOptions options);
  ~SqliteCeiling() override;

  Rate measure(std::initializer_list<Step> steps, Duration time, std::size_t tasks_max = SIZE_MAX) override;
  Rate measure_reads(Duration time) override;

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace semel::store
