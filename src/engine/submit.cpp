#include <atomic>
#include <memory>
#include <utility>

#include "base/ensure.hpp"
#include "base/json/canonical.hpp"
#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/missing_template.hpp"

namespace semel::engine {
namespace {

constexpr Duration lull = 1ms;

}  // namespace

using domain::DuplicateAnswer;

/// A submission that is ready to be applied, and what its answer will need once the command has gone to the store.
struct Engine::Prepared {
  Submit command;
  domain::Claimant claimant;
  TemplateRegistry::Shared template_;
  std::string canonical_context;  // for the pointers of a mismatch
  std::string handler;
  std::string queue;
  std::optional<std::string> key;
  Hash32 hash{};
  std::size_t step_count = 1;
};

/// Submissions that are answered together: one, or a batch. Each has its own slot; who fills the last one answers.
struct Engine::Gathering {
  Gathering(domain::Principal who, std::size_t count, Answer<std::vector<SubmitAnswer>> to)
      : principal(std::move(who)),
        prepared(count),
        answers(count, SubmitAnswer(Error{})),
        missing(count + 1),
        answer(std::move(to)) {}

  const domain::Principal principal;
  std::vector<Prepared> prepared;
  std::vector<SubmitAnswer> answers;
  std::atomic<std::size_t> missing;  // slots, and one more until all are under way
  const Answer<std::vector<SubmitAnswer>> answer;

  void fill(std::size_t slot, SubmitAnswer given) {
    answers[slot] = std::move(given);
    one_less();
  }
  void one_less() {
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) answer(std::move(answers));
  }
};

std::string summary_of(const DuplicateTask& duplicate) {
  switch (duplicate.answer) {
    case DuplicateAnswer::opaque: return "409 CONFLICT";
    case DuplicateAnswer::other_subject: return "409 IDEMPOTENCY_KEY_CONFLICT";
    case DuplicateAnswer::other_payload: return "422 IDEMPOTENCY_KEY_MISMATCH";
    case DuplicateAnswer::describe: return "409 described";
    case DuplicateAnswer::return_existing: return "200";
  }
  return "";
}

std::vector<std::string> differing_from(const domain::ExecutionSpec& theirs, const std::string& canonical_context,
                                        const domain::Template* template_) {
  if (theirs.step) return {};  // what it works on is its run's, and its item
  const Result<std::string> context = json::canonicalize(theirs.context);
  ensure(context.has_value());  // it was canonicalised before it was stored
  return domain::differing_pointers(*context, canonical_context, template_ != nullptr ? &template_->identity : nullptr,
                                    limits::pointers_max);
}

Result<TemplateRegistry::Shared> Engine::find_template(const domain::Principal& principal,
                                                       const domain::Submission& submission) {
  if (!submission.name) return nullptr;
  const auto find = [&] {
    return templates_.find(principal.tenant, submission.namespace_, *submission.name, submission.version);
  };
  if (auto found = find()) return found;
  if (store_.is_shared()) {  // another server may have put it just now
    read_template_anew(principal.tenant, submission.namespace_, *submission.name);
    if (auto found = find()) return found;
  }
  const bool may_see_others = principal.may(domain::Permission::tasks_read);
  return pass_on(missing_template(submission, may_see_others ? templates_.all(principal.tenant) : Templates{}));
}

Result<Engine::Prepared> Engine::prepare(const domain::Principal& principal, domain::Submission submission) {
  Result<TemplateRegistry::Shared> found = find_template(principal, submission);
  if (!found) return pass_on(found.error());
  Prepared prepared;
  prepared.template_ = *std::move(found);
  prepared.command.run_at = submission.run_at;
  prepared.command.delay = submission.delay;
  prepared.command.deadline = submission.deadline;
  prepared.command.deadline_after = submission.deadline_after;
  std::string canonical = submission.canonical_context;
  const Time now = store_.now();
  const std::string queue = domain::choose_queue(submission, prepared.template_.get());
  const domain::PlanInput input{
      principal,     prepared.template_.get(), queues_.settings(principal.tenant, queue), {ids_.next(now)}, now,
      options_.retry};
  Result<domain::Plan> plan = domain::plan(std::move(submission), input);
  if (!plan) return pass_on(plan.error());
  prepared.claimant = plan->claimant();
  prepared.canonical_context = std::move(canonical);
  prepared.handler = plan->spec.handler;
  prepared.queue = plan->spec.queue;
  prepared.key = plan->spec.key;
  prepared.hash = plan->spec.identity.hash;
  prepared.step_count = plan->step_count;
  prepared.command.reuse = plan->reuse;
  prepared.command.plan = std::move(plan->run);
  prepared.command.spec = std::move(plan->spec);
  return prepared;
}

Result<Submit> Engine::make_submit(const domain::Principal& principal, domain::Submission submission) {
  Result<Prepared> prepared = prepare(principal, std::move(submission));
  if (!prepared) return pass_on(prepared.error());
  return std::move(prepared->command);
}

SubmitAnswer Engine::answer_created(const domain::Principal& principal, const Prepared& prepared,
                                    const Created& created) {
  NewTask task;
  task.id = created.id;
  task.task_id = prepared.key.value_or(created.id.text());
  // Whose identity was taken over is only for those to know who may read it.
  if (domain::may_read(principal, created.previous_created_by)) task.previous = created.previous;
  task.key_used = prepared.key.has_value();
  task.step_count = prepared.step_count;
  const bool has_begun = created.ready && prepared.step_count > 1;
  if (has_begun) task.state = domain::State::suspended;
  return task;
}

/// How many steps the run has. Asked after the commit, where a store that cannot be read changes nothing of the answer.
std::optional<std::size_t> Engine::steps_of(const std::string& tenant, domain::ExecutionId run) {
  try {
    if (const auto found = store_.run(tenant, run)) return found->graph->size();
  } catch (const StoreFault& fault) {
    log::warn("the store failed to tell the steps of run {}: {}", run.text(), fault.what());
  }
  return std::nullopt;
}

SubmitAnswer Engine::answer_held(const domain::Principal& principal, const Prepared& prepared, Held held) {
  domain::Claimant claimant = prepared.claimant;
  claimant.handler = prepared.handler;
  const bool readable = domain::may_read(principal, held.holder.created_by);
  DuplicateTask duplicate;
  duplicate.answer = held.by_id ? domain::answer_same_id(held.holder, claimant, readable)
                                : domain::answer_duplicate(held.holder, claimant, readable);
  duplicate.key_used = prepared.key.has_value();
  duplicate.task_id = held.execution ? held.execution->task_id() : prepared.key.value_or(held.holder.id.text());
  if (duplicate.answer == DuplicateAnswer::other_payload && held.execution) {
    duplicate.pointers = differing_from(held.execution->spec, prepared.canonical_context, prepared.template_.get());
  }
  duplicate.step_count = prepared.step_count;
  if (duplicate.answer == DuplicateAnswer::return_existing && held.holder.kind == domain::Kind::workflow) {
    duplicate.step_count = steps_of(principal.tenant, held.holder.id).value_or(prepared.step_count);
  }
  duplicate.held = std::move(held);
  const std::string summary = summary_of(duplicate);
  const Time now = store_.now();
  metrics_.duplicate(now, principal.tenant, summary);
  duplicates_.add(principal.tenant, duplicate.held.holder.id, {now, principal.key_id, summary});
  return duplicate;
}

SubmitAnswer Engine::answer_committed(const Gathering& gathering, std::size_t slot, Committed committed) {
  const Prepared& prepared = gathering.prepared[slot];
  if (!committed.outcome) return committed.outcome.error();
  if (const auto* created = std::get_if<Created>(&*committed.outcome)) {
    return answer_created(gathering.principal, prepared, *created);
  }
  Held held = std::get<Held>(*std::move(committed.outcome));
  if (options_.dedup_cache != nullptr && !held.by_id)
    options_.dedup_cache->met({gathering.principal.tenant, prepared.hash}, held);
  return answer_held(gathering.principal, prepared, std::move(held));
}

/// Who comes after a lull goes to the commit queue at once: nobody waits there, and what is applied looks for itself.
/// So does everybody where reading takes a way to another process: the store looks for all of a batch together.
std::vector<std::optional<Held>> Engine::probe(const std::vector<Submit*>& commands) {
  using std::chrono::steady_clock;
  const auto begun = steady_clock::now();
  const steady_clock::duration last{last_probe_.exchange(begun.time_since_epoch().count(), std::memory_order_relaxed)};
  const bool is_alone = commands.size() == 1 && begun.time_since_epoch() - last > lull && commits_.is_idle();
  if (is_alone || store_.reads_wait()) return std::vector<std::optional<Held>>(commands.size());
  std::vector<std::optional<Held>> held = store_.probe(commands);
  metrics_.probed(steady_clock::now() - begun);
  return held;
}

void Engine::apply_prepared(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots) {
  if (options_.dedup_cache != nullptr) return look_up_prepared(gathering, slots);
  std::vector<Submit*> commands;
  for (const std::size_t slot : slots) commands.push_back(&gathering->prepared[slot].command);
  apply_probed(gathering, slots, probe(commands));
}

/// The cache knows holders; whether such a one makes this request a duplicate is decided here, as a store would.
/// Client-made ids come before identities, and are no business of the cache.
void Engine::look_up_prepared(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots) {
  std::vector<DedupCache::Identity> identities;
  std::vector<std::size_t> places;  // of those that are looked up
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const domain::ExecutionSpec& spec = gathering->prepared[slots[i]].command.spec;
    if (spec.client_made_id || spec.identity.mode == domain::Mode::none) continue;
    identities.push_back({spec.tenant, spec.identity.hash});
    places.push_back(i);
  }
  if (places.empty()) return apply_probed(gathering, slots, std::vector<std::optional<Held>>(slots.size()));
  options_.dedup_cache->look_up(std::move(identities),
                                [this, gathering, slots, places = std::move(places)](DedupCache::Found found) {
                                  std::vector<std::optional<Held>> held(slots.size());
                                  for (std::size_t i = 0; i < places.size(); ++i) {
                                    const domain::Reuse reuse = gathering->prepared[slots[places[i]]].command.reuse;
                                    if (!found[i] || takes_over(decide(found[i]->holder, reuse, store_.now())))
                                      continue;
                                    held[places[i]] = std::move(found[i]);
                                  }
                                  apply_probed(gathering, slots, std::move(held));
                                });
}

/// Answers the duplicates that were found, and sends the others to the commit queue side by side.
void Engine::apply_probed(const std::shared_ptr<Gathering>& gathering, const std::vector<std::size_t>& slots,
                          std::vector<std::optional<Held>> held) {
  std::vector<CommitQueue::Entry> entries;
  std::vector<std::size_t> queued;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t slot = slots[i];
    Prepared& prepared = gathering->prepared[slot];
    if (held[i]) {
      gathering->fill(slot, answer_held(gathering->principal, prepared, *std::move(held[i])));
      continue;
    }
    queued.push_back(slot);
    entries.push_back({std::move(prepared.command), [this, gathering, slot](Committed committed) {
                         gathering->fill(slot, answer_committed(*gathering, slot, std::move(committed)));
                       }});
  }
  if (entries.empty() || commits_.push(std::move(entries))) return;
  for (const std::size_t slot : queued) gathering->fill(slot, overloaded());
}

void Engine::submit_batch(const domain::Principal& principal, std::vector<Result<domain::Submission>> submissions,
                          Answer<std::vector<SubmitAnswer>> answer) {
  const auto gathering = std::make_shared<Gathering>(principal, submissions.size(), std::move(answer));
  const Result<void> allowed = require(principal, domain::Permission::tasks_create);
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < submissions.size(); ++slot) {
    Result<Prepared> prepared = pass_on(Error{});
    if (!allowed) prepared = pass_on(allowed.error());
    else if (!submissions[slot]) prepared = pass_on(submissions[slot].error());
    else prepared = prepare(principal, *std::move(submissions[slot]));
    if (!prepared) {
      gathering->fill(slot, prepared.error());
      continue;
    }
    gathering->prepared[slot] = *std::move(prepared);
    slots.push_back(slot);
  }
  if (!slots.empty()) apply_prepared(gathering, slots);
  gathering->one_less();
}

void Engine::submit(const domain::Principal& principal, domain::Submission submission, Answer<SubmitAnswer> answer) {
  const Duration wait = submission.wait.value_or(Duration{0});
  std::vector<Result<domain::Submission>> submissions;
  submissions.push_back(std::move(submission));
  submit_batch(principal, std::move(submissions),
               [this, principal, wait, answer = std::move(answer)](std::vector<SubmitAnswer> answers) {
                 if (wait == Duration{0}) return answer(std::move(answers.front()));
                 await_submitted(principal.tenant, wait, std::move(answers.front()), answer);
               });
}

/// With `wait`, the answer comes when the result does, or with the state at the time-out.
void Engine::await_submitted(const std::string& tenant, Duration wait, SubmitAnswer submitted,
                             Answer<SubmitAnswer> answer) {
  const auto* task = std::get_if<NewTask>(&submitted);
  const auto* duplicate = std::get_if<DuplicateTask>(&submitted);
  const bool existing =
      duplicate != nullptr && duplicate->answer == DuplicateAnswer::return_existing && duplicate->held.execution;
  if (task == nullptr && !existing) return answer(std::move(submitted));
  if (existing && domain::is_closed(duplicate->held.holder.state)) return answer(std::move(submitted));
  const domain::ExecutionId id = task != nullptr ? task->id : duplicate->held.holder.id;
  await_closed(tenant, id, wait, [submitted = std::move(submitted), answer](Looked looked) mutable {
    // What was committed is true also where what became of it cannot be read.
    std::optional<domain::Execution> now = looked ? *std::move(looked) : std::nullopt;
    if (auto* created = std::get_if<NewTask>(&submitted); created != nullptr && now) {
      created->state = now->state;
      created->execution = std::move(now);
    } else if (auto* held = std::get_if<DuplicateTask>(&submitted); held != nullptr && now) {
      held->held.holder = domain::holder_of(*now);
      held->held.execution = std::move(now);
    }
    answer(std::move(submitted));
  });
}

}  // namespace semel::engine
