#include "sdk/worker/worker_core.hpp"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/log.hpp"
#include "sdk/worker/attempt.hpp"

namespace semel::sdk {
namespace {

constexpr Duration poll_wait = 30s;
/// Where not all lanes can be asked for at once, the others get their turn after this.
constexpr Duration turn_wait = 100ms;
constexpr Duration poll_pause_first = 100ms;
constexpr Duration poll_pause_longest = 5s;
/// Nothing more is taken while the server does not hear so many outcomes.
constexpr std::size_t untold_max = 4'096;

std::string worker_name(const WorkerOptions& options) {
  if (!options.name().empty()) return options.name();
  char host[256] = "worker";
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}-{}", host, ::getpid());
}

}  // namespace

WorkerCore::WorkerCore(std::shared_ptr<ClientCore> client, const WorkerOptions& options)
    : client_(std::move(client)),
      options_(options),
      name_(worker_name(options)),
      session_(client_->next_id()),
      backend_(client_->backend()),
      lanes_(options.concurrency(), options.activations()),
      heartbeats_(backend_, options.lease()) {}

WorkerCore::~WorkerCore() { stop(); }

void WorkerCore::add_task(const std::string& name, const TaskOptions& options, detail::TaskFunction function) {
  const std::lock_guard lock(mutex_);
  if (has_started_) throw std::logic_error("a worker gets its handlers before it starts");
  lanes_.add_task(name, options);
  tasks_.emplace(name, std::move(function));
}

void WorkerCore::add_workflow(const std::string& kind, const TaskOptions& options, detail::WorkflowFunction function) {
  const std::lock_guard lock(mutex_);
  if (has_started_) throw std::logic_error("a worker gets its handlers before it starts");
  lanes_.add_workflow(kind, options);
  workflows_.emplace(kind, std::move(function));
}

// ---- start and stop

void WorkerCore::start() {
  const std::lock_guard lock(mutex_);
  if (lanes_.empty()) throw std::logic_error("a worker without handlers has nothing to do");
  if (std::exchange(has_started_, true)) throw std::logic_error("a worker starts once");
  answers_ = std::make_unique<Answers>(backend_, [this](const std::string& id) { has_told(id); });
  beating_ = std::make_unique<Loop>("semel-beats", [this] {
    heartbeats_.beat();
    return options_.lease() / 3;
  });
  task_threads_ = std::make_unique<Threads>("semel-task", options_.concurrency());
  const auto shards = static_cast<std::size_t>(std::max(options_.workflow_threads(), 1));
  const std::size_t kept = (options_.cached_workflows() + shards - 1) / shards;
  for (std::size_t i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>(backend_, workflows_, kept));
  poller_ = std::jthread([this](std::stop_token stop) { poll_until(stop); });
}

void WorkerCore::stop() {
  {
    std::unique_lock lock(mutex_);
    if (!has_started_) return;
    if (std::exchange(is_stopping_, true)) return changed_.wait(lock, [this] { return has_stopped_; });
    poller_.request_stop();
    poll_under_way_.request_stop();
  }
  poller_.join();
  wait_until_idle();
  if (!answers_->wait_until_told(options_.grace())) {
    log::warn("worker {}: the server could not be told {} outcomes; their leases will run out", name_,
              answers_->untold());
  }
  shards_.clear();
  task_threads_.reset();
  beating_.reset();
  answers_.reset();
  {
    const std::lock_guard lock(mutex_);
    has_stopped_ = true;
  }
  changed_.notify_all();
}

void WorkerCore::wait_until_idle() {
  std::unique_lock lock(mutex_);
  const auto is_idle = [this] { return running_ == 0; };
  if (changed_.wait_for(lock, options_.grace(), is_idle)) return;
  heartbeats_.ask_all_to_stop();
  changed_.wait(lock, is_idle);
}

// ---- polling

void WorkerCore::poll_until(std::stop_token stop) {
  Duration pause = Duration::zero();
  while (const std::optional<Poll> poll = next_poll(stop)) {
    Reply<std::vector<Lease>> leases = backend_.poll(*poll, poll_under_way_.get_token());
    if (leases) {
      pause = Duration::zero();
      for (Lease& lease : *leases) begin(std::move(lease));
      continue;
    }
    if (pause == Duration::zero()) log::warn("worker {}: cannot poll: {}", name_, leases.error().message);
    pause = std::clamp(pause * 2, poll_pause_first, poll_pause_longest);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, pause, [] { return false; });
  }
  for (Lease& lease : backend_.end_polling(session_)) begin(std::move(lease));
}

std::optional<Poll> WorkerCore::next_poll(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  polled_.clear();
  const bool goes_on = changed_.wait(lock, stop, [this] {
    if (answers_->untold() < untold_max) polled_ = lanes_.open();
    return !polled_.empty();
  });
  if (!goes_on || stop.stop_requested()) return std::nullopt;
  poll_under_way_ = std::stop_source();
  return Poll{session_, name_, polled_, options_.lease(), lanes_.leaves_out() ? turn_wait : poll_wait};
}

bool WorkerCore::is_polled(const std::string& handler) const {
  return std::any_of(polled_.begin(), polled_.end(), [&](const Lane& lane) {
    return std::find(lane.handlers.begin(), lane.handlers.end(), handler) != lane.handlers.end();
  });
}

// ---- working

void WorkerCore::begin(Lease lease) {
  const bool is_known = lease.activation ? workflows_.contains(lease.activation->kind) : tasks_.contains(lease.handler);
  if (!is_known) {
    log::error("worker {}: the server sent a lease for '{}', which was not asked for", name_, lease.handler);
    return;
  }
  const auto task = std::make_shared<RunningTask>(std::move(lease));
  {
    const std::lock_guard lock(mutex_);
    lanes_.take(task->lease().handler);
    ++running_;
  }
  heartbeats_.add(task);
  if (!task->lease().activation) return task_threads_->run([this, task] { run_task(task); });
  Shard& shard = *shards_[std::hash<std::string>()(task->lease().task_uuid) % shards_.size()];
  shard.thread.run([this, task, &shard] { finish(*task, shard.activations.answer(task->lease())); });
}

void WorkerCore::run_task(const std::shared_ptr<RunningTask>& task) {
  finish(*task, attempt(tasks_.find(task->lease().handler)->second, *task));
}

void WorkerCore::finish(const RunningTask& task, Answer answer) {
  answers_->put(std::move(answer));
  const std::lock_guard lock(mutex_);
  lanes_.give_back(task.lease().handler);
  --running_;
  if (!is_polled(task.lease().handler)) poll_under_way_.request_stop();
  changed_.notify_all();
}

void WorkerCore::has_told(const std::string& attempt_id) {
  heartbeats_.remove(attempt_id);
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace semel::sdk
