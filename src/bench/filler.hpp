#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/uuid7_source.hpp"
#include "bench/texts.hpp"
#include "ports/clock.hpp"
#include "ports/store.hpp"

namespace semel::bench {

/// Fills a store through its own port, before a server has it.
class Filler {
 public:
  explicit Filler(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  struct Tasks {
    std::string key_prefix{};  // a number follows, from 0
    std::string handler{handler_name};
    std::optional<Duration> delay{};
  };
  /// Throws std::runtime_error when the store has any of them already.
  void add(const Tasks& tasks, std::size_t count);
  /// Submitted, claimed and completed. While no others are ready.
  void add_completed(const Tasks& tasks, std::size_t count);

 private:
  void submit(const Tasks& tasks, std::size_t first, std::size_t count);
  std::vector<Lease> claim(std::size_t count);
  void complete(const std::vector<Lease>& leases);

  const SystemClock clock_;
  const std::unique_ptr<Store> store_;
  Uuid7Source ids_{secure_random};
};

}  // namespace semel::bench
