#include "bench/clients.hpp"

#include <algorithm>

namespace semel::bench {

std::optional<Request> Sender::next() {
  std::optional<std::string> body = plan_.next_body();
  if (!body) return std::nullopt;
  sent_ = Steady::now();
  return Request{plan_.path, *std::move(body)};
}

void Sender::answered(int status, const std::string& body) {
  tally_.latencies.add(Steady::now() - sent_);
  const std::size_t good = std::min(plan_.tasks, plan_.count_good(status, body));
  tally_.tasks += good;
  tally_.refused += plan_.tasks - good;
}

Sender::Plan submissions(std::size_t batch, std::function<std::optional<std::uint64_t>()> next_number) {
  Sender::Plan plan{batch > 1 ? "/v1/tasks:batch" : "/v1/tasks", batch};
  plan.next_body = [batch, next_number = std::move(next_number)]() -> std::optional<std::string> {
    const std::optional<std::uint64_t> number = next_number();
    if (!number) return std::nullopt;
    return batch > 1 ? batch_body(*number, batch) : task_body(*number);
  };
  plan.count_good = [batch](int status, const std::string& body) -> std::size_t {
    if (batch > 1) return status == 200 ? created_in(body) : 0;
    return status == 201 ? 1 : 0;
  };
  return plan;
}

/// What it has done goes with the next poll, which is answered at once: so it is known when it was recorded.
std::optional<Request> Worker::next() {
  sends_outcomes_ = !leases_.empty();
  sends_poll_ = plan_.goes_on();
  if (sends_poll_) polled_ = Steady::now();
  if (sends_poll_ && sends_outcomes_) return Request{"/v1/worker/poll", poll_body_with(poll_at_once_, leases_)};
  if (sends_outcomes_) return Request{"/v1/attempts:batch", completions_body(leases_)};
  if (sends_poll_) return Request{"/v1/worker/poll", poll_};
  return std::nullopt;
}

void Worker::answered(int status, const std::string& body) {
  if (sends_outcomes_) got_completions(status, body);
  if (sends_poll_) got_leases(status, body);
}

void Worker::got_leases(int status, const std::string& body) {
  if (status != 200) tally_.refused += 1;
  else leases_ = leases_in(body, plan_.mark);
  taken_ = polled_;
  const bool waits_yet = sends_outcomes_ && plan_.wait > Duration{0};  // with the next poll
  if (!leases_.empty() || !waits_yet) plan_.leased(leases_);
}

void Worker::got_completions(int status, const std::string& body) {
  const std::vector<Leased> ended = std::move(leases_);
  leases_.clear();
  const std::size_t good = status == 200 ? std::min(ended.size(), completed_in(body)) : 0;
  tally_.tasks += good;
  tally_.refused += ended.size() - good;
  plan_.completed(ended, taken_);
}

}  // namespace semel::bench
