#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

/// What the benchmarks send, and what they read from the answers. Tasks are numbered; all are of one queue and handler.
namespace semel::bench {

inline constexpr std::string_view queue_name = "bench";
inline constexpr std::string_view handler_name = "bench";
inline constexpr std::string_view result_text = R"({"ok":true})";

std::string key_of(std::uint64_t number);
std::string context_of(std::uint64_t number);

/// Of POST /v1/tasks.
std::string task_body(std::uint64_t number);
/// Of POST /v1/tasks:batch.
std::string batch_body(std::uint64_t first, std::size_t count);
/// How many tasks the answer to a batch says it created.
std::size_t created_in(const std::string& answer);

/// Of POST /v1/tasks: a run of the template of that name.
std::string run_body(std::string_view template_, std::uint64_t number);

/// What stands before the number of a task in its lease, and in that of a step of a run.
inline constexpr std::string_view task_mark = R"("task_id":"bench-)";
inline constexpr std::string_view step_mark = R"("order_id":"ORD-)";

/// A task that a worker got.
struct Leased {
  std::string attempt_id;
  std::uint64_t number = 0;

  bool operator==(const Leased&) const = default;
};

/// Of POST /v1/worker/poll.
std::string poll_body(std::size_t worker, std::size_t max, Duration wait);
std::vector<Leased> leases_in(const std::string& answer, std::string_view mark = task_mark);
/// Of POST /v1/attempts:batch.
std::string completions_body(const std::vector<Leased>& leases);
/// A poll that brings outcomes with it.
std::string poll_body_with(std::string_view poll, const std::vector<Leased>& leases);
/// How many tasks the answer to either says it completed.
std::size_t completed_in(const std::string& answer);

}  // namespace semel::bench
