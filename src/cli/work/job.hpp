#pragma once
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/client/http_connection.hpp"
#include "cli/work/child.hpp"
#include "cli/work/lease.hpp"
#include "cli/work/patience.hpp"
#include "cli/work/settings.hpp"

namespace semel::cli::work {

/// One attempt, from its lease to the server's answer to its outcome: runs the handler, keeps the lease by heartbeats,
/// stops the handler when it has to, and reports what came out until the server has heard it. Its worker owns it; it
/// belongs to the thread of the loop.
class Job : public std::enable_shared_from_this<Job> {
 public:
  /// The worker, as its jobs see it.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The job has an outcome to tell. True: it goes with the next poll, and the job hears by on_taken_along() what
    /// became of it. False: the job tells it by itself.
    virtual bool takes_along(Job& job) = 0;
    /// The server has recorded the outcome: what it says about the task.
    virtual void job_reported(const Job& job, const HttpReply& reply) = 0;
    /// Something that a user should know about one attempt.
    virtual void job_tells(const Job& job, const std::string& text) = 0;
    /// The handler cannot be started: other tasks would fare no better.
    virtual void job_cannot_start(const std::string& why) = 0;
    /// The server refuses this worker, and not just this attempt.
    virtual void job_refused(const HttpReply& reply) = 0;
    /// Nothing is left to do. The last call of a job.
    virtual void job_ended(Job& job) = 0;
  };

  Job(Child::Loop& loop, const Settings& settings, Owner& owner, Patience& patience,
      std::unique_ptr<HttpConnection> connection, Lease lease);

  void start();
  /// Instead of start(): the task goes back, because the worker is stopping.
  void decline();

  /// The worker is stopping: asks the handler to end, and kills it if it does not in time.
  void stop();
  /// Kills the handler at once.
  void kill() const;

  /// What the server said of an outcome that was taken along; nothing when it said nothing of it.
  void on_taken_along(const std::optional<HttpReply>& reply);

  const Lease& lease() const { return lease_; }
  const Outcome& outcome() const { return outcome_; }
  bool has_handler() const { return child_ != nullptr; }
  /// For the next job.
  std::unique_ptr<HttpConnection> take_connection() { return std::move(connection_); }

 private:
  using Timer = boost::asio::steady_timer;
  /// Why the handler is not let to end by itself. What comes later counts more.
  enum class Stopped : std::uint8_t { no, by_worker, by_cancel, lease_lost };

  void heartbeat_after(Duration pause);
  void heartbeat();
  void on_heartbeat(const Result<HttpReply>& reply);
  void stop_handler(Stopped why);
  void on_end(Remains remains);
  void report();
  void report_alone();
  void on_report(const Result<HttpReply>& reply);
  /// Calls `step` after a while, unless the job is gone by then.
  void later(Timer& timer, Duration pause, void (Job::*step)());
  void kill_handler() { kill(); }

  Child::Loop& loop_;
  const Settings& settings_;
  Owner& owner_;
  Patience& patience_;
  std::unique_ptr<HttpConnection> connection_;
  const Lease lease_;

  std::shared_ptr<Child> child_;  // while it runs
  Timer heartbeat_timer_;
  Timer grace_timer_;
  bool heartbeat_is_under_way_ = false;
  Stopped stopped_ = Stopped::no;
  int failures_ = 0;  // of the call under way, in a row
  Outcome outcome_;
};

}  // namespace semel::cli::work
