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
#include "domain/dispatch_token.hpp"
#include "domain/principal.hpp"
#include "domain/schedule/definition.hpp"
#include "domain/submission.hpp"
#include "engine/answers.hpp"
#include "engine/commit_queue.hpp"
#include "engine/depth_count.hpp"
#include "engine/dispatcher.hpp"
#include "engine/duplicate_log.hpp"
#include "engine/engine_options.hpp"
#include "engine/event_stream.hpp"
#include "engine/key_registry.hpp"
#include "engine/limits.hpp"
#include "engine/metrics.hpp"
#include "engine/postponed_commands.hpp"
#include "engine/queue_registry.hpp"
#include "engine/ready_waiters.hpp"
#include "engine/requests.hpp"
#include "engine/result_waiters.hpp"
#include "engine/template_registry.hpp"
#include "engine/turns.hpp"
#include "engine/use_case.hpp"
#include "engine/worker_registry.hpp"
#include "ports/authenticator.hpp"
#include "ports/dedup_cache.hpp"
#include "ports/store.hpp"

namespace semel::engine {

template <typename T>
using Answer = std::function<void(T)>;

/// All use cases, each in the file of its name. Answers come through callbacks, on the applier's or the timers' thread
/// or at once on the caller's: they must be short. Callable from any thread. Nothing is answered before it is durable.
class Engine : public Requests {
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
  Result<KeyView> find_by_key(const domain::Principal& principal, const KeyQuery& query);
  /// At once when the execution is closed, else when it closes or the time is over.
  void await_result(const domain::Principal& principal, domain::ExecutionId id, Duration wait,
                    Answer<Result<ResultView>> answer);

  // runs.cpp
  /// The steps of a run; refused (not_found) for a task without steps.
  Result<RunView> run(const domain::Principal& principal, domain::ExecutionId id);
  /// What happened in a run, in order, from the first after `after` on; one page.
  Result<HistoryView> history(const domain::Principal& principal, domain::ExecutionId id, std::int64_t after,
                              std::size_t limit);

  // workflows.cpp
  /// A workflow that is written as code; refused (not_found) for everything else.
  Result<WorkflowView> workflow(const domain::Principal& principal, domain::ExecutionId id);
  /// Tells a workflow something. False: it had been told before, by that key.
  void signal(const domain::Principal& principal, domain::ExecutionId id, SignalRequest request,
              Answer<Result<bool>> answer);
  /// Refused (not_found) for everything that is no promise.
  Result<domain::Execution> promise(const domain::Principal& principal, domain::ExecutionId id);
  /// Resolves or rejects a promise, once.
  void settle(const domain::Principal& principal, SettleRequest request, Answer<Result<SettleAnswer>> answer);

  // list.cpp
  Result<Page> list(const domain::Principal& principal, ListQuery query);
  /// Of what runs in a page that was listed: who has it. What has ended meanwhile is left out.
  std::vector<domain::Attempt> running_attempts(const domain::Principal& principal, const Page& page);

  // overview.cpp
  /// What became of the tenant's executions in the last hour by minutes, or in the last day by tens of them.
  Result<OverviewView> overview(const domain::Principal& principal, OverviewSpan span);
  /// How many executions fit, up to limits::counted_max; the query's own limit and cursor do not matter.
  Result<CountView> count(const domain::Principal& principal, ListQuery query);

  // bulk.cpp
  /// Acts on one page of the tasks that fit the query, in the states that fit the act when it names none; `dry_run`
  /// only counts them.
  void bulk(const domain::Principal& principal, BulkAct act, bool dry_run, ListQuery query,
            Answer<Result<BulkAnswer>> answer);

  // keys.cpp
  void create_key(const domain::Principal& principal, KeyRequest request, Answer<Result<NewKey>> answer);
  Result<std::vector<domain::ApiKey>> keys(const domain::Principal& principal);
  void revoke_key(const domain::Principal& principal, const std::string& id, Answer<Result<domain::ApiKey>> answer);
  Result<std::vector<AuditEntry>> audit(const domain::Principal& principal, const std::optional<std::string>& tenant,
                                        std::optional<std::int64_t> before, std::size_t limit);
  /// As long as there has never been a key, whoever asks from this machine may do everything in the default tenant.
  Result<domain::Principal> authenticate(const Credentials& credentials) const;
  bool requires_keys() const { return !keys_.is_empty(); }
  WhoView who(const domain::Principal& principal) const;

  // explain.cpp
  Result<ExplainView> explain(const domain::Principal& principal, domain::Submission submission);

  // release.cpp
  void release(const domain::Principal& principal, const Hash32& hash, bool force, Answer<Result<Released>> answer);

  // cancel.cpp
  void cancel(const domain::Principal& principal, domain::ExecutionId id, const CancelRequest& request,
              Answer<Result<CancelAnswer>> answer);

  // retry.cpp
  /// Opens a task again that has closed without success: of a run, its steps; of a task of a run, its step. The state
  /// of what was asked for, now.
  void retry(const domain::Principal& principal, domain::ExecutionId id, const RetryRequest& request,
             Answer<Result<domain::State>> answer);

  // resolve.cpp
  /// Gives a blocked step of a run its result, as if it had completed. The state of the run, now. Needs admin.
  void resolve(const domain::Principal& principal, domain::ExecutionId run, const ResolveRequest& request,
               Answer<Result<domain::State>> answer);

  // worker.cpp
  std::shared_ptr<Poll> poll(const domain::Principal& principal, PollRequest request,
                             Answer<Result<std::vector<Lease>>> answer);
  /// Who asks this server for work.
  Result<std::vector<WorkerRegistry::Seen>> workers(const domain::Principal& principal);
  void complete(const domain::Principal& principal, domain::AttemptId id, std::optional<std::string> result,
                Answer<Result<AttemptAnswer>> answer);
  void fail(const domain::Principal& principal, domain::AttemptId id, Failure failure,
            Answer<Result<AttemptAnswer>> answer);
  void heartbeat(const domain::Principal& principal, domain::AttemptId id, Duration lease,
                 std::optional<domain::Progress> progress, Answer<Result<AttemptAnswer>> answer);

  // work.cpp
  /// Ends attempts in one commit: one answer for each, in order; refused ones are passed through.
  void end(const domain::Principal& principal, std::vector<Result<Ending>> endings,
           Answer<std::vector<Result<AttemptAnswer>>> answer);
  /// Ends attempts and leases more tasks in one commit; refused endings are passed through. When there is none and the
  /// request waits, what has ended is durable and told to others before that. Refused as a whole only if nothing was
  /// recorded.
  std::shared_ptr<Poll> work(const domain::Principal& principal, PollRequest request,
                             std::vector<Result<Ending>> endings, Answer<Result<WorkAnswer>> answer);

  /// Leases that could not be delivered are anybody's again at once; nothing is said of attempts that have ended.
  void give_back(const domain::Principal& principal, std::vector<domain::AttemptId> attempts);

  // find_dispatch.cpp
  /// The dispatch with this identifier, or whose timer has it, either of them; refused (not_found) when there is none.
  /// An external one that is not in the outbox is looked for, which needs tasks:read and may take several calls: the
  /// next goes on where the cursor says.
  Result<DispatchFound> find_dispatch(const domain::Principal& principal, const std::string& identifier,
                                      std::optional<std::string> cursor);

  // dispatches.cpp
  /// What is on its way to targets, newest first; one page.
  Result<std::vector<StoredDispatch>> dispatches(const domain::Principal& principal,
                                                 std::optional<domain::AttemptId> before, std::size_t limit);
  /// Sends what a target has accepted once more, under a name that it does not know. Needs admin.
  void repair_dispatch(const domain::Principal& principal, domain::ExecutionId id,
                       Answer<Result<domain::Dispatch>> answer);
  /// Whom a token of a dispatch speaks for: unauthorized, unless this store gave it.
  Result<domain::DispatchGrant> check_callback(std::string_view token) const;
  void call_back(const domain::DispatchGrant& grant, std::variant<CallbackBeat, Success, Failure> said,
                 Answer<Result<AttemptAnswer>> answer);

  // templates.cpp
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
  /// Those with tasks or settings, and those in which something has happened in the last hour, by name.
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

  /// Whether some queue has a target.
  bool has_targets() const { return queues_.has_targets(); }
  /// From now on tasks are pushed to the targets of their queues; these call back under this url.
  void start_dispatching(std::string callback_url);

  /// Ends all waits, so that whoever waits is answered; new ones end at once. For stopping.
  void stop_waiting();

  /// Throws StoreFault when the store does not answer.
  void check_ready();

  Metrics& metrics() { return metrics_; }
  /// For Prometheus. It names all tenants and queues, so it is for operators.
  Result<std::string> metrics_text(const domain::Principal& principal);

 private:
  friend class Polling;     // worker.cpp
  friend class Dispatcher;  // dispatcher.cpp

  struct Prepared;
  struct Gathering;
  Result<Prepared> prepare(const domain::Principal& principal, domain::Submission submission);
  /// What a submission comes to, for one who puts it into a command of its own.
  Result<Submit> make_submit(const domain::Principal& principal, domain::Submission submission);
  std::vector<std::optional<Held>> probe(const std::vector<Submit*>& commands);
  void apply_prepared(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots);
  void look_up_prepared(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots);
  void apply_probed(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots,
                    std::vector<std::optional<Held>> held);
  SubmitAnswer answer_committed(const Gathering& gathering, std::size_t slot, Committed committed);
  SubmitAnswer answer_created(const domain::Principal& principal, const Prepared& prepared, const Created& created);
  SubmitAnswer answer_held(const domain::Principal& principal, const Prepared& prepared, Held held);
  void commit_release(const domain::Principal& principal, const Hash32& hash, bool force,
                      Answer<Result<Released>> answer);
  void await_submitted(const std::string& tenant, Duration wait, SubmitAnswer submitted, Answer<SubmitAnswer> answer);
  /// The execution when it has closed or the time is over; nothing when it is not there any more.
  using Looked = Result<std::optional<domain::Execution>>;
  void await_closed(const std::string& tenant, domain::ExecutionId id, Duration wait, Answer<Looked> answer);
  Looked look_again(const std::string& tenant, domain::ExecutionId id);
  std::optional<std::size_t> steps_of(const std::string& tenant, domain::ExecutionId run);
  QueueView view_of(const std::string& tenant, const std::string& queue, const QueueDepth& depth) const;
  QueueView counted_view_of(const std::string& tenant, const std::string& queue, const QueueDepth& depth);
  Result<void> check_target(const std::optional<std::string>& target) const;
  void store_queue(Command command, const std::string& tenant, const std::string& queue,
                   Answer<Result<QueueView>> answer);
  void queue_stored(const std::string& tenant, const std::string& queue, const domain::QueueOptions& options);
  // runs.cpp
  RunView view_of(const std::string& tenant, domain::ExecutionId id, StoredRun run);
  Result<void> check_why(const domain::Principal& principal, domain::ExecutionId id, const std::string& why);
  // retry.cpp
  void retry_task(const domain::Principal& principal, domain::ExecutionId id, Answer<Result<domain::State>> answer);
  void retry_steps(RetrySteps command, domain::ExecutionId asked, Answer<Result<domain::State>> answer);
  void hide_previous(const domain::Principal& principal, domain::Execution& execution);
  void tell_of_attempt(Command command, Answer<Result<AttemptAnswer>> answer);
  Result<TemplateRegistry::Shared> find_template(const domain::Principal& principal,
                                                 const domain::Submission& submission);
  // worker.cpp
  std::shared_ptr<Poll> begin_poll(const domain::Principal& principal, PollRequest request,
                                   std::vector<CommitQueue::Entry> brought, Answer<Result<std::vector<Lease>>> answer);
  std::shared_ptr<Poll> start_poll(const std::string& tenant, PollRequest request,
                                   std::vector<CommitQueue::Entry> brought, Answer<Result<std::vector<Lease>>> answer);
  Result<void> check_pollable(const std::string& tenant, const PollRequest& request) const;
  void commit_give_back(GiveBack command);
  Claim claim_for(const std::string& tenant, const PollRequest& request);
  static Result<AttemptAnswer> attempt_answer(Result<Outcome> outcome);
  /// A command whose outcome is always a T.
  template <typename T>
  void commit(Command command, Answer<Result<T>> answer);
  std::optional<CommitQueue::Entry> duplicates_to_flush();
  std::optional<CommitQueue::Entry> riding_duplicates();
  void announce(const Command& command);
  void commit_again(CommitQueue::Entry entry);
  void on_applied(const Applied& applied);
  // news.cpp
  void on_news(const News& news);
  void tell(const Change& change, bool may_be_had);
  void tell(const Ready& ready);
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

  // dispatches.cpp
  std::vector<StoredDispatch> dispatches_of(const std::string& tenant, domain::ExecutionId id);

  // find_dispatch.cpp
  domain::WantedName wanted_name(const std::string& tenant, const std::string& external_id) const;
  std::optional<domain::Execution> named_task_of(const std::string& tenant, const domain::DispatchName& name);
  Result<DispatchView> view_named(const domain::Principal& principal, const std::string& identifier,
                                  const domain::DispatchName& name);
  DispatchView dispatch_view(const std::string& tenant, domain::Execution execution, std::optional<int> number,
                             const std::string& external_id);
  std::optional<DispatchView> find_in_outbox(const std::string& tenant, const std::string& external_id);
  Result<DispatchFound> search_dispatch(const domain::Principal& principal, const std::string& external_id,
                                        std::optional<std::string> cursor);

  Store& store_;
  const EngineOptions options_;
  const std::optional<Hash32> callback_key_;  // where something can be pushed
  const Time begun_;
  Metrics metrics_;
  DepthCount depths_{[this] { return store_.queue_depths(); }, [this] { return store_.now(); }};
  Uuid7Source ids_;
  TemplateRegistry templates_;
  QueueRegistry queues_;
  KeyRegistry keys_;
  DuplicateLog duplicates_;
  Timers timers_;
  ResultWaiters result_waiters_;
  ReadyWaiters ready_waiters_;
  WorkerRegistry workers_;
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
  std::atomic<std::int64_t> next_look_ms_ = 0;    // at what other servers have left untold
  const std::unique_ptr<Dispatcher> dispatcher_;  // null where nothing can be pushed
  PostponedCommands postponed_;
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

}  // namespace semel::engine
