#pragma once
#include <string>

#include "store/common/dump.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// A database at one moment: a transaction that only reads, whose view further connections take over.
class DatabaseSnapshot final : public dump::Snapshot {
 public:
  /// Throws StoreFault when there is no store of this binary's version.
  explicit DatabaseSnapshot(const std::string& target);
  ~DatabaseSnapshot() override { connection_.roll_back(); }
  DatabaseSnapshot(const DatabaseSnapshot&) = delete;
  DatabaseSnapshot& operator=(const DatabaseSnapshot&) = delete;

  std::unique_ptr<dump::Source> open() override;
  Time taken_at() const override { return taken_at_; }

 private:
  const std::string target_;
  Connection connection_;
  Time taken_at_{};
  std::string name_{};  // by which others find it
};

}  // namespace semel::store::postgres
