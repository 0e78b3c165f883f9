#pragma once
#include <memory>
#include <string>

#include "ports/clock.hpp"
#include "ports/store.hpp"
#include "store/common/ceiling.hpp"

namespace semel::bench {

/// Where workloads are measured: a store for the server, and beside it one of the same kind for the raw database.
class Stage {
 public:
  virtual ~Stage() = default;

  virtual std::string name() const = 0;
  /// What `--store` takes.
  virtual std::string url() const = 0;
  /// To fill it before a server has it, or to measure it without one.
  virtual std::unique_ptr<Store> open() const = 0;

  struct Raw {
    std::size_t in_flight = 64;  // requests at a time
    std::size_t batch = 1;       // tasks a request
    std::size_t prefill = 0;     // identities that are there before
    bool is_copy = false;        // begins with what the store has now,
    std::size_t ready = 0;       // of which so many tasks are ready to be claimed
    std::size_t context_bytes = 150;
    std::string result = "{}";
  };
  virtual std::unique_ptr<store::Ceiling> open_raw(const Raw& raw) const = 0;

 protected:
  const SystemClock clock_;
};

/// On a file, or a temporary one when that is empty.
std::unique_ptr<Stage> make_sqlite_stage(const std::string& file);
/// On databases of its own in the cluster of that URL, which are removed afterwards.
std::unique_ptr<Stage> make_postgres_stage(const std::string& url);

}  // namespace semel::bench
