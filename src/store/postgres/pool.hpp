#pragma once
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// Connections to one database, borrowed for one call each. Opened when they are needed first, and again after they
/// broke; while the database cannot be reached, it is asked again after a pause that grows to some seconds, and who
/// comes in between is told so at once. Callable from any thread.
class Pool {
 public:
  Pool(std::string target, int size, Connection::Plans plans)
      : target_(std::move(target)), size_(size), plans_(plans), free_places_(size) {}

  int size() const { return size_; }

  class Loan {
   public:
    Loan(Pool& pool, std::unique_ptr<Connection> connection) : pool_(pool), connection_(std::move(connection)) {}
    ~Loan() { pool_.give_back(std::move(connection_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<Connection> connection_;
  };

  /// Waits while all are lent. Throws StoreFault when the database cannot be reached.
  Loan borrow();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  std::unique_ptr<Connection> connect();
  void give_back(std::unique_ptr<Connection> connection);

  const std::string target_;
  const int size_;
  const Connection::Plans plans_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  int free_places_;  // of the size, how many are not lent
  Duration pause_{0};
  SteadyTime not_before_{};
  std::string reason_;  // of the last failure
};

}  // namespace semel::store::postgres
