#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/latencies.hpp"
#include "bench/load.hpp"
#include "bench/texts.hpp"

namespace semel::bench {

/// What the clients of a load have done.
struct Tally {
  std::uint64_t tasks = 0;    // that went as meant
  std::uint64_t refused = 0;  // that did not
  Latencies latencies;
};

/// Sends requests of one kind, one after the other.
class Sender final : public Client {
 public:
  struct Plan {
    std::string_view path;
    std::size_t tasks = 1;  // a request
    std::function<std::optional<std::string>()> next_body{};
    /// How many of the tasks were answered as meant.
    std::function<std::size_t(int status, const std::string& body)> count_good{};
  };

  /// Adds every request to the tally, with the time until its answer.
  Sender(Plan plan, Tally& tally) : plan_(std::move(plan)), tally_(tally) {}

  std::optional<Request> next() override;
  void answered(int status, const std::string& body) override;

 private:
  const Plan plan_;
  Tally& tally_;
  Steady::time_point sent_;
};

/// Submits new tasks, `batch` a request. `next_number` says with which number the next request begins; nothing = none
/// now.
Sender::Plan submissions(std::size_t batch, std::function<std::optional<std::uint64_t>()> next_number);

/// Polls for tasks, completes what it got, and polls again, in one request. Where that got none, the next poll waits.
class Worker final : public Client {
 public:
  struct Plan {
    std::size_t number = 0;             // of the worker
    std::size_t max = 1;                // tasks a poll
    Duration wait{0};                   // of a poll
    std::string_view mark = task_mark;  // what stands before the number of a task
    std::function<bool()> goes_on{};    // asked before each poll
    std::function<void(const std::vector<Leased>&)>
        leased{};  // an answered poll; also without tasks, unless it was to wait
    std::function<void(const std::vector<Leased>&, Steady::time_point polled)> completed{};
  };

  /// Counts the tasks into the tally; times are for the plan to take.
  Worker(Plan plan, Tally& tally)
      : plan_(std::move(plan)),
        poll_(poll_body(plan_.number, plan_.max, plan_.wait)),
        poll_at_once_(poll_body(plan_.number, plan_.max, Duration{0})),
        tally_(tally) {}

  std::optional<Request> next() override;
  void answered(int status, const std::string& body) override;

 private:
  void got_leases(int status, const std::string& body);
  void got_completions(int status, const std::string& body);

  const Plan plan_;
  const std::string poll_;
  const std::string poll_at_once_;
  Tally& tally_;
  bool sends_outcomes_ = false;  // the request that is on its way
  bool sends_poll_ = false;      // too
  Steady::time_point polled_;    // when the last poll was sent
  Steady::time_point taken_;     // when the poll was sent that got the leases
  std::vector<Leased> leases_;   // that are to be completed
};

}  // namespace semel::bench
