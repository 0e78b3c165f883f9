#include "cli/work/job.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <csignal>

#include "cli/client/json_view.hpp"
#include "cli/client/query.hpp"
#include "cli/client/refusal.hpp"
#include "cli/work/environment.hpp"
#include "cli/work/error_output.hpp"

namespace semel::cli::work {
namespace {

/// Two heartbeats may get lost before the lease does.
constexpr int heartbeats_a_lease = 3;

HttpCall heartbeat_call(const Lease& lease, Duration length) {
  return {.method = "POST",
          .target = fmt::format("/v1/attempts/{}/heartbeat", percent_encode(lease.attempt_id)),
          .body = fmt::format(R"({{"lease_ms":{}}})", length.count()),
          .time_max = length / heartbeats_a_lease};
}

/// The server has judged what was sent, and not who sent it.
bool is_about_content(int status) { return status == 400 || status == 413 || status == 422; }

}  // namespace

Job::Job(Child::Loop& loop, const Settings& settings, Owner& owner, Patience& patience,
         std::unique_ptr<HttpConnection> connection, Lease lease)
    : loop_(loop),
      settings_(settings),
      owner_(owner),
      patience_(patience),
      connection_(std::move(connection)),
      lease_(std::move(lease)),
      heartbeat_timer_(loop),
      grace_timer_(loop) {}

void Job::later(Timer& timer, Duration pause, void (Job::*step)()) {
  timer.expires_after(pause);
  timer.async_wait([weak = weak_from_this(), step](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) (self.get()->*step)();
  });
}

void Job::start() {
  const std::string input = settings_.sends_envelope ? envelope_of(lease_) : lease_.context;
  Result<Spawned> spawned = spawn(settings_.command, handler_environment(settings_.environment, lease_), input);
  if (!spawned) {
    outcome_.failure = cannot_start(spawned.error().message);
    owner_.job_cannot_start(spawned.error().message);
    return report();
  }
  Child::Hooks hooks;
  hooks.errors = write_errors;
  hooks.ended = [weak = weak_from_this()](Remains remains) {
    if (const auto self = weak.lock()) self->on_end(std::move(remains));
  };
  child_ = std::make_shared<Child>(loop_, *std::move(spawned), std::move(hooks));
  child_->watch();
  heartbeat_after(settings_.lease / heartbeats_a_lease);
}

void Job::decline() {
  outcome_.failure = worker_stopped();
  report();
}

void Job::stop() { stop_handler(Stopped::by_worker); }

void Job::kill() const {
  if (child_) child_->signal(SIGKILL);
}

// ---- heartbeats

void Job::heartbeat_after(Duration pause) { later(heartbeat_timer_, pause, &Job::heartbeat); }

void Job::heartbeat() {
  if (!child_ || heartbeat_is_under_way_) return;
  heartbeat_is_under_way_ = true;
  connection_->send(heartbeat_call(lease_, settings_.lease), [weak = weak_from_this()](const Result<HttpReply>& reply) {
    if (const auto self = weak.lock()) self->on_heartbeat(reply);
  });
}

void Job::on_heartbeat(const Result<HttpReply>& reply) {
  heartbeat_is_under_way_ = false;
  const Duration usual = settings_.lease / heartbeats_a_lease;
  if (const std::optional<Duration> pause = patience_.pause_after(reply, failures_))
    return heartbeat_after(std::min(*pause, usual));
  if (reply->status == 409) {
    owner_.job_tells(*this, "its lease is lost: it took too long, or was ended by force; its handler is stopped");
    return stop_handler(Stopped::lease_lost);
  }
  if (reply->status != 200) owner_.job_refused(*reply);
  else if (JsonView::parse(reply->body)["should_cancel"].raw() == "true") stop_handler(Stopped::by_cancel);
  heartbeat_after(usual);
}

// ---- the end of the handler

void Job::stop_handler(Stopped why) {
  if (!child_) return;
  const bool is_first = std::exchange(stopped_, std::max(stopped_, why)) == Stopped::no;
  if (!is_first) return;
  child_->signal(SIGTERM);
  later(grace_timer_, settings_.grace, &Job::kill_handler);
}

void Job::on_end(Remains remains) {
  child_.reset();
  heartbeat_timer_.cancel();
  grace_timer_.cancel();
  if (std::exchange(heartbeat_is_under_way_, false)) connection_->abandon();
  failures_ = 0;
  switch (stopped_) {
    case Stopped::no: outcome_ = outcome_of(remains, settings_.form); break;
    case Stopped::by_worker: outcome_.failure = worker_stopped(); break;
    case Stopped::by_cancel: outcome_.failure = cancelled(remains); break;
    case Stopped::lease_lost: return owner_.job_ended(*this);
  }
  report();
}

// ---- the outcome

void Job::report() {
  if (!owner_.takes_along(*this)) report_alone();
}

void Job::on_taken_along(const std::optional<HttpReply>& reply) {
  if (reply) on_report(*reply);
  else report_alone();
}

/// Sending it again is safe: the server says that it has it already.
void Job::report_alone() {
  connection_->send(outcome_call(lease_.attempt_id, outcome_),
                    [weak = weak_from_this()](const Result<HttpReply>& reply) {
                      if (const auto self = weak.lock()) self->on_report(reply);
                    });
}

void Job::on_report(const Result<HttpReply>& reply) {
  if (const std::optional<Duration> pause = patience_.pause_after(reply, failures_))
    return later(heartbeat_timer_, *pause, &Job::report);
  if (is_about_content(reply->status) && !outcome_.failure) {
    outcome_.failure = result_refused(explain_refusal(reply));
    return report();
  }
  if (reply->status == 200) owner_.job_reported(*this, *reply);
  else if (reply->status == 409) owner_.job_tells(*this, "its outcome came too late and does not count");
  else owner_.job_refused(*reply);
  owner_.job_ended(*this);
}

}  // namespace semel::cli::work
