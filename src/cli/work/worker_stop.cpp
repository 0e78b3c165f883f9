#include <csignal>

#include "cli/client/terminal.hpp"
#include "cli/work/worker.hpp"

// How a worker stops: by signals, by refusals, and when there is nothing more to do.
namespace semel::cli::work {
namespace {

/// The server answers a poll that nobody waits for at once. If it does not, nothing will come.
constexpr Duration last_answer_time = 1s;

/// Whoever started us may want us to ignore it, as nohup does.
bool is_ignored(int signal) {
  struct sigaction now{};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void Worker::listen_to_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    if (!is_ignored(number)) signals_.add(number);
  }
  await_signal();
}

void Worker::await_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    await_signal();
    next_stage();
    go_on();
  });
}

void Worker::stop_with(int exit_code) {
  if (exit_code_ == exit_code::ok) exit_code_ = exit_code;
  if (stage_ == Stage::working) next_stage();
  go_on();
}

void Worker::next_stage() {
  if (stage_ == Stage::leaving) return;
  stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  tell_stage();
  switch (stage_) {
    case Stage::working: break;
    case Stage::draining: end_poll(); break;
    case Stage::terminating:
      for (const auto& job : jobs_) job->stop();
      break;
    case Stage::killing:
      for (const auto& job : jobs_) job->kill();
      break;
    case Stage::leaving: return leave();
  }
  stage_timer_.expires_after(settings_.grace);
  stage_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    next_stage();
    go_on();
  });
}

void Worker::tell_stage() const {
  const std::size_t running = handlers();
  if (running == 0) return;
  const std::string grace = to_text(settings_.grace);
  switch (stage_) {
    case Stage::draining:
      return tell(
          fmt::format("stopping; handlers that run: {}, with {} to end; a signal hurries them", running, grace));
    case Stage::terminating: return tell(fmt::format("handlers asked to end: {}, with {} to do so", running, grace));
    case Stage::killing: return tell(fmt::format("handlers killed: {}", running));
    case Stage::working:
    case Stage::leaving: return;
  }
}

/// A task that was leased to us just now should not wait for the end of its lease, so the server's last word is heard.
void Worker::end_poll() {
  poll_timer_.cancel();
  if (!poll_is_under_way_) return;
  poll_is_under_way_ = poll_connection_.stop_waiting();
  if (!poll_is_under_way_) return answer_brought(std::nullopt);
  poll_timer_.expires_after(last_answer_time);
  poll_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    poll_connection_.abandon();
    poll_is_under_way_ = false;
    answer_brought(std::nullopt);
    go_on();
  });
}

void Worker::leave() {
  for (const auto& job : jobs_) job_tells(*job, "the server could not be told its outcome; its lease will run out");
  if (exit_code_ == exit_code::ok && !jobs_.empty()) exit_code_ = exit_code::unavailable;
  loop_.stop();
}

}  // namespace semel::cli::work
