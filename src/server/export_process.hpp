#pragma once
#include <sys/types.h>

#include <mutex>
#include <string>

#include "server/exports.hpp"

namespace semel::server {

/// `semel export` as a process of its own: what it needs of memory and time, and what may go wrong in a library, is not
/// the server's.
class ExportProcess final : public ExportRunner {
 public:
  /// The store as --store takes it. It is told by the environment, where others cannot see a password.
  ExportProcess(std::string store, std::string duckdb) : store_(std::move(store)), duckdb_(std::move(duckdb)) {}

  Result<void> run(const ExportJob& job) override;
  void cancel() override;

 private:
  Result<pid_t> start(const ExportJob& job, int errors);
  Result<void> wait(pid_t pid, int errors);

  const std::string store_;
  const std::string duckdb_;
  std::mutex mutex_;  // guards what follows
  pid_t running_ = -1;
  bool is_cancelled_ = false;
};

}  // namespace semel::server
