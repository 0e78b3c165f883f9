#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/exit_code.hpp"
#include "cli/work/job.hpp"

namespace semel::cli::work {

/// Leases tasks and runs a handler for each, until it is told to stop. One thread and one loop do it all: a long poll,
/// signals, and for each job a process, its pipes, timers and a connection.
///
/// A stop goes through stages. Each lasts for the grace at most, and a signal hurries on to the next:
///
///   working → draining → terminating → killing → leaving
///
/// Draining leases nothing more and lets handlers end, terminating asks them to, killing does not ask, and leaving
/// drops outcomes that the server could not be told. With the last job the worker ends, whatever the stage.
class Worker final : public Job::Owner {
 public:
  Worker(Settings settings, Url url, HttpOptions http);
  ~Worker() override;

  /// The exit code.
  int run();

 private:
  enum class Stage : std::uint8_t { working, draining, terminating, killing, leaving };

  // Polling
  void go_on();
  void poll();
  void on_poll(const Result<HttpReply>& reply);
  void answer_brought(const std::optional<HttpReply>& reply);
  void poll_after(Duration pause);
  void begin(std::vector<Lease> leases);
  std::int64_t room(std::size_t ending = 0) const;
  bool wants_more() const;

  // Stopping: worker_stop.cpp
  void listen_to_signals();
  void await_signal();
  void stop_with(int exit_code);
  void next_stage();
  void tell_stage() const;
  void end_poll();
  void leave();

  // Jobs
  bool takes_along(Job& job) override;
  void job_reported(const Job& job, const HttpReply& reply) override;
  void job_tells(const Job& job, const std::string& text) override;
  void job_cannot_start(const std::string& why) override;
  void job_refused(const HttpReply& reply) override;
  void job_ended(Job& job) override;
  std::size_t handlers() const;

  const Settings settings_;
  const std::shared_ptr<HttpPeer> peer_;
  boost::asio::io_context loop_{1};
  Patience patience_;

  HttpConnection poll_connection_;
  boost::asio::steady_timer poll_timer_;
  bool poll_is_under_way_ = false;
  std::chrono::steady_clock::time_point polled_at_;
  int poll_failures_ = 0;
  std::shared_ptr<Job> brought_;       // by the poll under way: its outcome
  bool has_ended_since_poll_ = false;  // a job: it may have left more to do, which the poll has not seen
  bool is_empty_ = false;              // the last poll found nothing, and nothing has ended since
  std::int64_t taken_ = 0;

  std::vector<std::shared_ptr<Job>> jobs_;
  std::vector<std::unique_ptr<HttpConnection>> idle_connections_;

  boost::asio::signal_set signals_;
  boost::asio::steady_timer stage_timer_;
  Stage stage_ = Stage::working;
  int exit_code_ = exit_code::ok;
};

/// A line of the worker's own on standard error.
void tell(const std::string& text);

}  // namespace semel::cli::work
