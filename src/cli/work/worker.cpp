#include "cli/work/worker.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>

#include "base/json/writer.hpp"
#include "cli/client/json_view.hpp"
#include "cli/client/refusal.hpp"
#include "cli/client/terminal.hpp"
#include "cli/work/run.hpp"

namespace semel::cli::work {
namespace {

constexpr Duration poll_wait = 30s;
/// A server that is stopping finds nothing at once, although it was asked to wait.
constexpr Duration poll_time_odd = 100ms;
constexpr Duration poll_pause = 200ms;
/// Each may have a context of a megabyte, and all come in one answer.
constexpr std::int64_t leases_a_poll_max = 64;

void write_names(json::Writer& writer, std::string_view member, const std::vector<std::string>& names) {
  writer.key(member).begin_array();
  for (const std::string& name : names) writer.string(name);
  writer.end_array();
}

/// A poll that brings an outcome does not wait, so that its answer does not: where it got nothing, the next one waits.
HttpCall poll_call(const Settings& settings, std::int64_t max, const std::string& outcome = {}) {
  const Duration wait = settings.exits_when_empty || !outcome.empty() ? Duration{0} : poll_wait;
  json::Writer body;
  body.begin_object().string("worker_id", settings.worker_id);
  write_names(body, "queues", settings.queues);
  if (!settings.handlers.empty()) write_names(body, "handlers", settings.handlers);
  body.integer("max", max).integer("wait_ms", wait.count()).integer("lease_ms", settings.lease.count());
  if (!outcome.empty()) body.key("outcomes").begin_array().raw(outcome).end_array();
  return {.method = "POST", .target = "/v1/worker/poll", .body = body.end_object().take(), .more_time = wait};
}

/// What the server said of the outcome that a poll brought, if it came to that.
std::optional<HttpReply> answer_to_outcome(const Result<HttpReply>& reply) {
  if (!reply || reply->status != 200) return std::nullopt;
  const std::vector<JsonView> results = JsonView::parse(reply->body)["results"].elements();
  if (results.size() != 1) return std::nullopt;
  int status = 0;
  const std::string_view number = results[0]["status"].raw();
  std::from_chars(number.data(), number.data() + number.size(), status);
  if (status == 0) return std::nullopt;
  return HttpReply{.status = status, .body = std::string(results[0]["body"].raw())};
}

/// "completed", "exit_code, will be tried again", "exit_code, failed".
std::string words_for(const Outcome& outcome, const std::string& status) {
  if (!outcome.failure || outcome.failure->type == status) return status;
  return fmt::format("{}, {}", outcome.failure->type, status == "pending" ? "will be tried again" : status);
}

}  // namespace

void tell(const std::string& text) { print_error(fmt::format("semel: {}\n", text)); }

Worker::Worker(Settings settings, Url url, HttpOptions http)
    : settings_(std::move(settings)),
      peer_(make_http_peer(std::move(url), std::move(http))),
      patience_(tell),
      poll_connection_(loop_, peer_),
      poll_timer_(loop_),
      signals_(loop_),
      stage_timer_(loop_) {}

Worker::~Worker() = default;

int run_worker(Settings settings, Url url, HttpOptions http) {
  return Worker(std::move(settings), std::move(url), std::move(http)).run();
}

int Worker::run() {
  std::signal(SIGPIPE, SIG_IGN);  // who reads our standard error may go away
  std::signal(SIGCHLD, SIG_DFL);  // whoever started us may ignore it, and then exit codes would be lost
  listen_to_signals();
  tell(fmt::format("taking tasks of {} as {}", fmt::join(settings_.queues, ", "), printable(settings_.worker_id)));
  go_on();
  loop_.run();
  return exit_code_;
}

// ---- polling

/// For more jobs, when so many of those that are there will have ended.
std::int64_t Worker::room(std::size_t ending) const {
  const std::int64_t free = settings_.concurrency - static_cast<std::int64_t>(jobs_.size() - ending);
  const std::int64_t room = std::min(free, leases_a_poll_max);
  return settings_.tasks_max ? std::min(room, *settings_.tasks_max - taken_) : room;
}

bool Worker::wants_more() const {
  const bool has_all = settings_.tasks_max && taken_ >= *settings_.tasks_max;
  return stage_ == Stage::working && !has_all && !(settings_.exits_when_empty && is_empty_);
}

/// The next thing to do, after anything has changed.
void Worker::go_on() {
  if (poll_is_under_way_) return;
  if (wants_more()) {
    if (room() > 0) poll();
  } else if (jobs_.empty()) {
    loop_.stop();
  }
}

void Worker::poll() {
  poll_is_under_way_ = true;
  has_ended_since_poll_ = false;
  polled_at_ = std::chrono::steady_clock::now();
  poll_connection_.send(poll_call(settings_, room()), [this](const Result<HttpReply>& reply) { on_poll(reply); });
}

bool Worker::takes_along(Job& job) {
  if (poll_is_under_way_ || !wants_more() || room(1) <= 0) return false;
  poll_is_under_way_ = true;
  has_ended_since_poll_ = false;
  polled_at_ = std::chrono::steady_clock::now();
  brought_ = job.shared_from_this();
  poll_connection_.send(poll_call(settings_, room(1), outcome_element(job.lease().attempt_id, job.outcome())),
                        [this](const Result<HttpReply>& reply) { on_poll(reply); });
  return true;
}

void Worker::answer_brought(const std::optional<HttpReply>& reply) {
  if (const std::shared_ptr<Job> job = std::exchange(brought_, nullptr)) job->on_taken_along(reply);
}

void Worker::poll_after(Duration pause) {
  poll_is_under_way_ = true;
  poll_timer_.expires_after(pause);
  poll_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || stage_ != Stage::working) return;
    poll_is_under_way_ = false;
    go_on();
  });
}

void Worker::on_poll(const Result<HttpReply>& reply) {
  const bool had_brought = brought_ != nullptr;
  const bool has_ended = has_ended_since_poll_;
  answer_brought(answer_to_outcome(reply));
  poll_timer_.cancel();
  poll_is_under_way_ = false;
  if (const std::optional<Duration> pause = patience_.pause_after(reply, poll_failures_)) {
    if (stage_ == Stage::working) return poll_after(*pause);
    return go_on();
  }
  if (reply->status != 200) {
    tell(explain_refusal(reply));
    return stop_with(exit_code_of(reply->status));
  }
  Result<std::vector<Lease>> leases = read_leases(reply->body);
  if (!leases) {
    tell(leases.error().message);
    return stop_with(exit_code::failed);
  }
  is_empty_ = leases->empty() && !has_ended;
  begin(*std::move(leases));
  const bool is_odd = is_empty_ && !had_brought && std::chrono::steady_clock::now() - polled_at_ < poll_time_odd;
  if (is_odd && wants_more()) poll_after(poll_pause);
  else go_on();
}

void Worker::begin(std::vector<Lease> leases) {
  for (Lease& lease : leases) {
    if (idle_connections_.empty()) idle_connections_.push_back(std::make_unique<HttpConnection>(loop_, peer_));
    std::unique_ptr<HttpConnection> connection = std::move(idle_connections_.back());
    idle_connections_.pop_back();
    ++taken_;
    jobs_.push_back(std::make_shared<Job>(loop_, settings_, *this, patience_, std::move(connection), std::move(lease)));
    const std::shared_ptr<Job> job = jobs_.back();
    if (stage_ == Stage::working) job->start();
    else job->decline();
  }
}

// ---- what jobs tell

void Worker::job_reported(const Job& job, const HttpReply& reply) {
  const std::string status = JsonView::parse(reply.body)["status"].text();
  print(printable(fmt::format("{}  {}  attempt {}  {}", job.lease().task_uuid, job.lease().handler, job.lease().attempt,
                              words_for(job.outcome(), status))) +
        "\n");
}

void Worker::job_tells(const Job& job, const std::string& text) {
  tell(printable(fmt::format("task {}, attempt {}: {}", job.lease().task_uuid, job.lease().attempt, text)));
}

void Worker::job_cannot_start(const std::string& why) {
  if (stage_ == Stage::working) tell(printable(why) + "; stopping, because other tasks would fail too");
  stop_with(exit_code::failed);
}

void Worker::job_refused(const HttpReply& reply) {
  if (exit_code_ == exit_code::ok) tell(explain_refusal(reply));
  stop_with(exit_code_of(reply.status));
}

void Worker::job_ended(Job& job) {
  idle_connections_.push_back(job.take_connection());
  std::erase_if(jobs_, [&](const std::shared_ptr<Job>& each) { return each.get() == &job; });
  is_empty_ = false;
  has_ended_since_poll_ = true;
  go_on();
}

std::size_t Worker::handlers() const {
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->has_handler(); }));
}

}  // namespace semel::cli::work
