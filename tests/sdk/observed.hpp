#pragma once
#include <mutex>

#include "tests/sdk/between.hpp"

namespace semel::suite {

/// What a worker was given of workflows, and what it asked for.
class Observed : public sdk::Between {
 public:
  struct Page {
    std::uint64_t after = 0;
    std::size_t events = 0;
  };

  using Between::Between;

  sdk::Reply<std::vector<sdk::Lease>> poll(const sdk::Poll& poll, std::stop_token stop) override {
    sdk::Reply<std::vector<sdk::Lease>> leases = Between::poll(poll, stop);
    const std::lock_guard lock(mutex_);
    for (const sdk::Lease& lease : leases ? *leases : std::vector<sdk::Lease>()) {
      if (lease.activation) activations_.push_back(*lease.activation);
    }
    return leases;
  }
  sdk::Reply<sdk::HistoryPage> history(const std::string& workflow, std::uint64_t after, int limit) override {
    sdk::Reply<sdk::HistoryPage> page = Between::history(workflow, after, limit);
    const std::lock_guard lock(mutex_);
    pages_.push_back({after, page ? page->events.size() : 0});
    return page;
  }

  std::vector<sdk::Reply<sdk::AnswerOutcome>> answer(std::span<const sdk::Answer> all) override {
    std::vector<sdk::Reply<sdk::AnswerOutcome>> outcomes = Between::answer(all);
    const std::lock_guard lock(mutex_);
    for (const sdk::Answer& each : all) {
      if (const auto* failure = std::get_if<sdk::AttemptFailure>(&each.what)) failures_.push_back(failure->error);
    }
    return outcomes;
  }

  std::vector<sdk::Activation> activations() const {
    const std::lock_guard lock(mutex_);
    return activations_;
  }
  std::vector<Page> pages() const {
    const std::lock_guard lock(mutex_);
    return pages_;
  }
  /// Errors of attempts that the server has been told of.
  std::vector<std::string> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::vector<sdk::Activation> activations_;
  std::vector<Page> pages_;
  std::vector<std::string> failures_;
};

inline Client client_of(const std::shared_ptr<Observed>& observed) {
  return Client(std::make_shared<sdk::ClientCore>(observed, ClientOptions()));
}

}  // namespace semel::suite
