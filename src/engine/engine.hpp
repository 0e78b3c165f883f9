#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/timers.hpp"
#include "base/uuid7_source.hpp"
#include "domain/principal.hpp"
#include "domain/schedule/definition.hpp"
#include "domain/submission.hpp"
#include "engine/answers.hpp"
#include "engine/commit_queue.hpp"
#include "engine/duplicate_log.hpp"
#include "engine/event_stream.hpp"
#include "engine/key_registry.hpp"
#include "engine/metrics.hpp"
#include "engine/queue_registry.hpp"
#include "engine/ready_waiters.hpp"
#include "engine/result_waiters.hpp"
#include "engine/template_registry.hpp"
#include "engine/turns.hpp"
#include "ports/authenticator.hpp"
#include "ports/store.hpp"

namespace semel::engine {

/// The refusal of a full commit queue: 503 with Retry-After.
Error overloaded();

struct EngineOptions {
  CommitQueueOptions commits;
  Duration duplicates_flushed_after = 10s;
  domain::RetryPolicy retry{};                           // of tasks that do not say otherwise
  std::map<std::string, domain::QueueOptions> queues{};  // of all tenants that say nothing else
  Duration swept_every = 1h;                             // what retention may remove
  Duration archived_every = 1min;                        // what closed a while ago
  Duration looked_again_after = 5s;                      // for what other servers have not told
  std::size_t events_kept = 65'536;                      // of all tenants
  Uuid7Source::Random random = secure_random;
  /// Reads a stored document again. Injected, because the engine knows no file format.
  std::function<Result<domain::Template>(const std::string& document)> read_template;
  std::function<Result<domain::ScheduleDefinition>(const std::string& name, const std::string& document)> read_schedule;
};

namespace limits {
inline constexpr Duration wait_max = 60s;
inline constexpr std::size_t batch_max = 1'000;
inline constexpr std::size_t leases_max = 1'000;
inline constexpr std::size_t pointers_max = 50;
inline constexpr std::size_t followers_max = 100;  // of one tenant
}  // namespace limits

template <typename T>
using Answer = std::function<void(T)>;

/// All use cases, each in the file of its name. Answers come through callbacks, on the applier's or the timers' thread
/// or at once on the caller's: they must be short. Callable from any thread. Nothing is answered before it is durable.
class Engine {
 public:
  Engine(Store& store, EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // submit.cpp
  void submit(const domain::Principal& principal, domain::Submission submission, Answer<SubmitAnswer> answer);
  /// One answer for each, in order; refused ones are passed through.
  void submit_batch(const domain::Principal& principal, std::vector<Result<domain::Submission>> submissions,
                    Answer<std::vector<SubmitAnswer>> answer);

  // query.cpp
  Result<TaskView> get(const domain::Principal& principal, domain::ExecutionId id);
  struct KeyQuery {
    std::string key;
    std::optional<std::string> namespace_, name, version, queue;
  };
  Result<KeyView> find_by_key(const domain::Principal& principal, const KeyQuery& query);
  /// At once when the execution is closed, else when it closes or the time is over.
  void await_result(const domain::Principal& principal, domain::ExecutionId id, Duration wait,
                    Answer<Result<ResultView>> answer);

  // list.cpp
  Result<Page> list(const domain::Principal& principal, ListQuery query);

  // bulk.cpp
  /// Acts on one page of the tasks that fit the query, in the states that fit the act when it names none; `dry_run`
  /// only counts them.
  void bulk(const domain::Principal& principal, BulkAct act, bool dry_run, ListQuery query,
            Answer<Result<BulkAnswer>> answer);

  // keys.cpp
  struct KeyRequest {
    std::optional<std::string> tenant;  // the principal's own by default
    std::string name;
    std::uint8_t permissions = 0;
    std::optional<Duration> expires_in;
  };
  struct NewKey {
    domain::ApiKey key;
    std::string secret;
  };
  void create_key(const domain::Principal& principal, KeyRequest request, Answer<Result<NewKey>> answer);
  Result<std::vector<domain::ApiKey>> keys(const domain::Principal& principal);
  void revoke_key(const domain::Principal& principal, const std::string& id, Answer<Result<domain::ApiKey>> answer);
  Result<std::vector<AuditEntry>> audit(const domain::Principal& principal, const std::optional<std::string>& tenant,
                                        std::optional<std::int64_t> before, std::size_t limit);
  /// As long as there has never been a key, whoever asks from this machine may do everything in the default tenant.
  Result<domain::Principal> authenticate(const Credentials& credentials) const;
  bool requires_keys() const { return !keys_.is_empty(); }

  // explain.cpp
  Result<ExplainView> explain(const domain::Principal& principal, domain::Submission submission);

  // release.cpp
  void release(const domain::Principal& principal, const Hash32& hash, bool force, Answer<Result<Released>> answer);

  // cancel.cpp
  /// `force` ends a running task without waiting for its worker, and needs the permission admin.
  void cancel(const domain::Principal& principal, domain::ExecutionId id, bool force,
              Answer<Result<CancelAnswer>> answer);

  // retry.cpp
  /// Opens a task again that has closed without success.
  void retry(const domain::Principal& principal, domain::ExecutionId id, Answer<Result<ReopenAnswer>> answer);

  // worker.cpp
  struct PollRequest {
    std::string worker;
    std::vector<std::string> queues;
    std::vector<int> weights{};  // of the queues; empty = one order over all
    std::optional<std::vector<std::string>> handlers;
    std::size_t max = 1;
    Duration wait{0};
    Duration lease = domain::default_lease;
  };
  /// Lets a long poll end early, when the worker has gone.
  class Poll {
   public:
    virtual ~Poll() = default;
    virtual void abandon() = 0;
  };
  std::shared_ptr<Poll> poll(const domain::Principal& principal, PollRequest request,
                             Answer<Result<std::vector<Lease>>> answer);
  void complete(const domain::Principal& principal, domain::AttemptId id, std::optional<std::string> result,
                Answer<Result<AttemptAnswer>> answer);
  struct Failure {
    std::string error;  // JSON text {"type", "message", …}
    bool retryable = true;
    std::optional<Duration> retry_after{};
  };
  void fail(const domain::Principal& principal, domain::AttemptId id, Failure failure,
            Answer<Result<AttemptAnswer>> answer);
  void heartbeat(const domain::Principal& principal, domain::AttemptId id, Duration lease,
                 std::optional<domain::Progress> progress, Answer<Result<AttemptAnswer>> answer);

  // work.cpp
  struct Success {
    std::optional<std::string> result;
  };
  struct Ending {
    domain::AttemptId attempt_id;
    std::variant<Success, Failure> outcome;
  };
  struct WorkAnswer {
    std::vector<Result<AttemptAnswer>> endings;  // one for each, in order
    std::vector<Lease> leases;
  };
  /// Ends attempts in one commit: one answer for each, in order; refused ones are passed through.
  void end(const domain::Principal& principal, std::vector<Result<Ending>> endings,
           Answer<std::vector<Result<AttemptAnswer>>> answer);
  /// Ends attempts and leases more tasks in one commit; refused endings are passed through. It does not wait for tasks.
  void work(const domain::Principal& principal, PollRequest request, std::vector<Result<Ending>> endings,
            Answer<Result<WorkAnswer>> answer);

  /// Leases that could not be delivered are anybody's again at once; nothing is said of attempts that have ended.
  void give_back(const domain::Principal& principal, std::vector<domain::AttemptId> attempts);

  // templates.cpp
  struct StoredRevision {
    domain::Template template_;
    bool changed = true;
  };
  void put_template(const domain::Principal& principal, domain::Template template_,
                    Answer<Result<StoredRevision>> answer);
  void remove_template(const domain::Principal& principal, const RemoveTemplate& which,
                       Answer<Result<TemplateRemoved>> answer);
  Result<std::vector<TemplateRegistry::Shared>> templates(const domain::Principal& principal);
  Result<std::vector<TemplateRegistry::Shared>> template_versions(const domain::Principal& principal,
                                                                  const std::string& namespace_,
                                                                  const std::string& name);

  Result<TemplateRegistry::Shared> template_version(const domain::Principal& principal, const std::string& namespace_,
                                                    const std::string& name, const std::string& version);

  // queues.cpp
  /// Replaces all that the tenant has said about the queue.
  void put_queue(const domain::Principal& principal, const std::string& queue, domain::QueueOptions options,
                 Answer<Result<QueueView>> answer);
  void pause_queue(const domain::Principal& principal, const std::string& queue, bool paused,
                   Answer<Result<QueueView>> answer);
  /// A queue need not be made: one that nobody has used yet is empty.
  Result<QueueView> queue(const domain::Principal& principal, const std::string& queue);
  /// Those with tasks or settings, by name.
  Result<std::vector<QueueView>> queues(const domain::Principal& principal);

  // schedules.cpp
  /// Replaces what was said of it; said again, it changes nothing.
  void put_schedule(const domain::Principal& principal, domain::ScheduleDefinition definition,
                    Answer<Result<ScheduleView>> answer);
  void pause_schedule(const domain::Principal& principal, const std::string& name, bool paused,
                      Answer<Result<ScheduleView>> answer);
  void remove_schedule(const domain::Principal& principal, const std::string& name,
                       Answer<Result<ScheduleRemoved>> answer);
  Result<ScheduleView> schedule(const domain::Principal& principal, const std::string& name);
  /// By name, from the first after `after` on; one page.
  Result<std::vector<ScheduleView>> schedules(const domain::Principal& principal, const std::string& after,
                                              std::size_t limit);
  /// One firing more, whose nominal time is now or a time in the past; the same time never makes a second task.
  void run_schedule(const domain::Principal& principal, const std::string& name, std::optional<Time> nominal,
                    Answer<Result<domain::FiringRecord>> answer);

  // event_stream.cpp
  /// Follows the tenant's changes of state. `wake` runs on any thread when EventStream::next() may have more; the
  /// stream must not outlive the engine.
  Result<std::unique_ptr<EventStream>> follow(const domain::Principal& principal, EventQuery query,
                                              std::function<void()> wake);

  // maintenance/upkeep.cpp
  /// Ends expired leases, makes due tasks ready, flushes duplicate counts; runs by itself when something is due. Tests
  /// with a clock of their own call it; `done` runs when it is over.
  void maintain(std::function<void()> done);

  /// Ends all waits, so that whoever waits is answered; new ones end at once. For stopping.
  void stop_waiting();

  /// Throws StoreFault when the store does not answer.
  void check_ready();

  Metrics& metrics() { return metrics_; }
  /// For Prometheus. It names all tenants and queues, so it is for operators.
  Result<std::string> metrics_text(const domain::Principal& principal);

 private:
  friend class Polling;  // worker.cpp

  struct Prepared;
  struct Gathering;
  Result<Prepared> prepare(const domain::Principal& principal, domain::Submission submission);
  /// What a submission comes to, for one who puts it into a command of its own.
  Result<Submit> make_submit(const domain::Principal& principal, domain::Submission submission);
  std::vector<std::optional<Held>> probe(const std::vector<Submit*>& commands);
  void apply_prepared(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots);
  SubmitAnswer answer_committed(const Gathering& gathering, std::size_t slot, Committed committed);
  SubmitAnswer answer_created(const domain::Principal& principal, const Prepared& prepared, const Created& created);
  SubmitAnswer answer_held(const domain::Principal& principal, const Prepared& prepared, Held held);
  void await_submitted(const std::string& tenant, Duration wait, SubmitAnswer submitted, Answer<SubmitAnswer> answer);
  /// The execution when it has closed or the time is over; nothing when it is not there any more.
  void await_closed(const std::string& tenant, domain::ExecutionId id, Duration wait,
                    Answer<std::optional<domain::Execution>> answer);
  QueueView view_of(const std::string& tenant, const std::string& queue, const QueueDepth& depth) const;
  void store_queue(Command command, const std::string& tenant, const std::string& queue,
                   Answer<Result<QueueView>> answer);
  void queue_stored(const std::string& tenant, const std::string& queue, const domain::QueueOptions& options);
  void hide_previous(const domain::Principal& principal, domain::Execution& execution);
  void tell_of_attempt(Command command, Answer<Result<AttemptAnswer>> answer);
  Result<TemplateRegistry::Shared> find_template(const domain::Principal& principal,
                                                 const domain::Submission& submission);
  // worker.cpp
  void commit_give_back(GiveBack command);
  Claim claim_for(const std::string& tenant, const PollRequest& request);
  static Result<AttemptAnswer> attempt_answer(Result<Outcome> outcome);
  /// A command whose outcome is always a T.
  template <typename T>
  void commit(Command command, Answer<Result<T>> answer);
  std::optional<CommitQueue::Entry> duplicates_to_flush();
  void announce(const Command& command);
  void on_applied(const Applied& applied);
  // news.cpp
  void on_news(const News& news);
  void tell(const Change& change, bool may_be_had);
  void read_settings(bool templates, bool queues, bool keys);
  void read_template_anew(const std::string& tenant, const std::string& namespace_, const std::string& name);
  void look_again();
  Duration maintenance_pass();
  void expect_timer(Time due);
  void do_for_all(const std::shared_ptr<void>& over);
  void sweep(const std::shared_ptr<void>& over);
  void archive();

  ScheduleView view_of(domain::ScheduleRecord record);
  void store_schedule(Command command, const std::string& name, Answer<Result<ScheduleView>> answer);
  // maintenance/fire_schedules.cpp
  void fire_schedules(const std::shared_ptr<void>& over);
  AdvanceSchedule advance(const domain::ScheduleRecord& record, Time now);
  AdvanceSchedule advance_by_hand(const domain::ScheduleRecord& record, const domain::ScheduleDefinition& definition,
                                  Time nominal);
  Firing make_firing(const domain::ScheduleRecord& record, const domain::ScheduleDefinition& definition,
                     const domain::PlannedFiring& planned);
  void firing_failed(AdvanceSchedule command, const Error& error, const std::shared_ptr<void>& round);
  bool last_task_is_open(const domain::ScheduleRecord& record);
  std::optional<Time> next_firing_round();

  Store& store_;
  const EngineOptions options_;
  Metrics metrics_;
  Uuid7Source ids_;
  TemplateRegistry templates_;
  QueueRegistry queues_;
  KeyRegistry keys_;
  DuplicateLog duplicates_;
  Timers timers_;
  ResultWaiters result_waiters_;
  ReadyWaiters ready_waiters_;
  Turns turns_;
  EventLog events_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> last_probe_ = 0;     // on the steady clock
  std::atomic<std::int64_t> next_sweep_ms_ = 0;  // the first at once: the server may have been down for long
  std::atomic<std::int64_t> next_archive_ms_ = 0;
  std::atomic<std::int64_t> next_timer_ms_ = std::numeric_limits<std::int64_t>::max();
  std::atomic<int> firing_rounds_ = 0;             // under way
  std::atomic<std::int64_t> firing_pause_ms_ = 0;  // until when schedules wait, after the store could not take one
  std::mutex reading_settings_;                    // held while templates, queues or keys are read anew
  std::atomic<bool> settings_are_stale_ = false;   // they could not be read
  std::atomic<std::uint64_t> looks_ = 0;
  std::atomic<std::int64_t> next_look_ms_ = 0;  // at what other servers have left untold
  CommitQueue commits_;
  Loop maintenance_;  // last: uses all of the above
};

template <typename T>
void Engine::commit(Command command, Answer<Result<T>> answer) {
  const auto shared = std::make_shared<Answer<Result<T>>>(std::move(answer));
  const bool queued = commits_.push(std::move(command), [shared](Committed committed) {
    if (!committed.outcome) return (*shared)(pass_on(committed.outcome.error()));
    (*shared)(std::get<T>(*std::move(committed.outcome)));
  });
  if (!queued) (*shared)(pass_on(overloaded()));
}

/// Templates as the store keeps them, with their tenants. Throws StoreFault where one cannot be read.
std::vector<std::pair<std::string, domain::Template>> read_all(std::vector<StoredTemplate> stored,
                                                               const EngineOptions& options);

/// forbidden, unless the principal has the permission.
Result<void> require(const domain::Principal& principal, domain::Permission permission);

}  // namespace semel::engine
