#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "base/json/canonical.hpp"
#include "engine/engine.hpp"
#include "store/memory/memory_store.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::engine::test {

/// An answer that somebody waits for.
template <typename T>
class Awaited {
 public:
  Answer<T> answer() const {
    return [promise = promise_](T value) { promise->set_value(std::move(value)); };
  }
  T get() { return future_.get(); }

 private:
  std::shared_ptr<std::promise<T>> promise_ = std::make_shared<std::promise<T>>();
  std::future<T> future_ = promise_->get_future();
};

/// A template whose document is "name version": enough for an engine, which knows no format.
inline domain::Template named(const std::string& name, const std::string& version = "1.0.0") {
  domain::Template template_;
  template_.namespace_ = "default";
  template_.name = name;
  template_.version = version;
  template_.handler = name;
  template_.queue = "default";
  template_.document = name + " " + version;
  return template_;
}

inline Result<domain::Template> read_named(const std::string& document) {
  const std::size_t space = document.find(' ');
  if (space == std::string::npos) return refuse(ErrorCode::invalid_template, "no space");
  return named(document.substr(0, space), document.substr(space + 1));
}

inline EngineOptions options() {
  EngineOptions options;
  options.read_template = read_named;
  options.duplicates_flushed_after = 1h;  // only when a test says so
  options.retry.max_attempts = 1;         // most tests want to see what one attempt does
  return options;
}

/// A memory store that tells when the engine has looked for its next timer, which ends a pass of its
/// maintenance.
class WatchedStore final : public Store {
 public:
  explicit WatchedStore(const Clock& clock, bool is_shared = false) : inner_(clock), is_shared_(is_shared) {}

  void wait_for_first_maintenance() { maintained_.wait(); }

  std::atomic<bool> finds_nothing = false;  // as if the database were away for reads of executions
  // As if the database were away for so many reads of queues.
  std::atomic<int> queues_away = 0;
  std::counting_semaphore<> queues_refused{0};
  std::counting_semaphore<> depths_read{0};  // how often

  // As if there were other servers.
  std::atomic<bool> is_leader = true;
  void tell(const News& news) { heard_(news); }
  bool is_shared() const override { return is_shared_; }
  bool leads() override { return is_leader; }
  void listen(std::function<void(const News&)> heard) override { heard_ = std::move(heard); }

  std::atomic<int> tallies = 0;  // of duplicates, that were recorded
  Applied apply(std::span<const Command> commands) override {
    for (const Command& each : commands) tallies += std::holds_alternative<RecordDuplicates>(each) ? 1 : 0;
    return inner_.apply(commands);
  }
  std::vector<std::optional<Held>> probe(std::span<Submit* const> submissions) override {
    return inner_.probe(submissions);
  }
  std::optional<domain::Execution> find(std::string_view tenant, domain::ExecutionId id) override {
    if (finds_nothing) throw StoreFault("away");
    return inner_.find(tenant, id);
  }
  std::optional<domain::Holder> find_tombstone(std::string_view tenant, domain::ExecutionId id) override {
    return inner_.find_tombstone(tenant, id);
  }
  std::optional<Held> find_holder(std::string_view tenant, const Hash32& hash) override {
    return inner_.find_holder(tenant, hash);
  }
  std::vector<domain::Attempt> attempts(std::string_view tenant, domain::ExecutionId id) override {
    return inner_.attempts(tenant, id);
  }
  std::optional<StoredRun> run(std::string_view tenant, domain::ExecutionId id) override {
    return inner_.run(tenant, id);
  }
  std::optional<StoredWorkflow> workflow(std::string_view tenant, domain::ExecutionId id) override {
    return inner_.workflow(tenant, id);
  }
  std::vector<HistoryEntry> history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                    std::size_t limit) override {
    return inner_.history(tenant, id, after, limit);
  }
  DuplicateTally duplicates(std::string_view tenant, domain::ExecutionId id) override {
    return inner_.duplicates(tenant, id);
  }
  std::vector<StoredTemplate> templates() override { return inner_.templates(); }
  std::vector<StoredQueue> queues() override {
    if (queues_away == 0) return inner_.queues();
    queues_away -= 1;
    queues_refused.release();
    throw StoreFault("away");
  }
  std::optional<domain::ScheduleRecord> schedule(std::string_view tenant, std::string_view name) override {
    return inner_.schedule(tenant, name);
  }
  std::vector<domain::ScheduleRecord> schedules(std::string_view tenant, std::string_view after,
                                                std::size_t limit) override {
    return inner_.schedules(tenant, after, limit);
  }
  std::vector<domain::ScheduleRecord> due_schedules(Time until, std::size_t limit) override {
    return inner_.due_schedules(until, limit);
  }
  std::optional<Time> next_schedule() override { return inner_.next_schedule(); }
  Result<Page> list(const ListQuery& query) override { return inner_.list(query); }
  std::vector<domain::ApiKey> api_keys() override { return inner_.api_keys(); }
  std::vector<AuditEntry> audit(std::string_view tenant, std::optional<std::int64_t> before,
                                std::size_t limit) override {
    return inner_.audit(tenant, before, limit);
  }
  std::vector<QueueDepth> queue_depths() override {
    std::vector<QueueDepth> depths = inner_.queue_depths();
    depths_read.release();
    return depths;
  }
  std::vector<StoredDispatch> dispatches(const DispatchQuery& query) override { return inner_.dispatches(query); }
  std::vector<DispatchDepth> dispatch_depths() override { return inner_.dispatch_depths(); }
  std::optional<Time> next_dispatch() override { return inner_.next_dispatch(); }
  std::optional<Time> next_timer() override {
    if (!maintained_.try_wait()) maintained_.count_down();  // asked by one thread only
    return inner_.next_timer();
  }
  Time now() const override { return inner_.now(); }

 private:
  store::MemoryStore inner_;
  const bool is_shared_;
  std::function<void(const News&)> heard_;
  std::latch maintained_{1};
};

inline domain::Submission ad_hoc(const std::string& handler = "mail") {
  domain::Submission submission;
  submission.handler = handler;
  return submission;
}
inline domain::Submission keyed(const std::string& key, const std::string& context = "{}") {
  domain::Submission submission = ad_hoc();
  submission.key = key;
  submission.context = context;
  submission.canonical_context = json::canonicalize(context).value();
  return submission;
}

inline Engine::PollRequest poll_for(Duration wait, std::size_t max = 1) {
  Engine::PollRequest request;
  request.worker = "worker-1";
  request.queues = {"default"};
  request.wait = wait;
  request.max = max;
  return request;
}

/// An engine over a memory store with a clock that stands, and its use cases as blocking calls.
class EngineTest : public ::testing::Test {
 protected:
  using Leases = Result<std::vector<Lease>>;

  /// The engine's own first maintenance is over, so that it does not flush what a test counts.
  void SetUp() override { store.wait_for_first_maintenance(); }

  SubmitAnswer submit(domain::Submission submission) { return submit(owner, std::move(submission)); }
  SubmitAnswer submit(const domain::Principal& principal, domain::Submission submission) {
    Awaited<SubmitAnswer> awaited;
    engine.submit(principal, std::move(submission), awaited.answer());
    return awaited.get();
  }
  domain::ExecutionId create(domain::Submission submission) {
    return std::get<NewTask>(submit(std::move(submission))).id;
  }
  Leases poll(Duration wait = Duration{0}, std::size_t max = 1) {
    Awaited<Leases> awaited;
    engine.poll(owner, poll_for(wait, max), awaited.answer());
    return awaited.get();
  }
  Result<AttemptAnswer> complete(domain::AttemptId id, std::optional<std::string> result = std::nullopt) {
    Awaited<Result<AttemptAnswer>> awaited;
    engine.complete(owner, id, std::move(result), awaited.answer());
    return awaited.get();
  }
  void maintain() {
    std::promise<void> over;
    engine.maintain([&] { over.set_value(); });
    over.get_future().get();
  }
  void put(domain::Template template_) {
    Awaited<Result<Engine::StoredRevision>> awaited;
    engine.put_template(owner, std::move(template_), awaited.answer());
    EXPECT_TRUE(awaited.get());
  }

  const domain::Principal owner{"acme", "key-1", domain::all_permissions};
  const domain::Principal creator{"acme", "key-2", static_cast<std::uint8_t>(domain::Permission::tasks_create)};
  const domain::Principal nobody{"acme", "key-3", 0};
  semel::test::ManualClock clock;
  WatchedStore store{clock};
  Engine engine{store, options()};
};

}  // namespace semel::engine::test
