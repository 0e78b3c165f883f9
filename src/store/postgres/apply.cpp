#include "store/postgres/application.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "store/postgres/answer_set.hpp"
#include "store/postgres/claim_set.hpp"
#include "store/postgres/runs.hpp"
#include "store/postgres/submit_set.hpp"
#include "store/postgres/workflows.hpp"

namespace semel::store {
namespace {

using postgres::AnswerSet;
using postgres::Batch;
using postgres::ClaimSet;
using postgres::SubmitSet;

using Size = postgres::Connection::Size;

constexpr std::size_t together_max = 500;
constexpr std::size_t small_max = 16;

/// How many rows of one kind a batch deals with, about.
std::size_t rows_of(std::span<const Command> commands) {
  std::size_t rows = 0;
  for (const Command& command : commands) {
    const auto* claim = std::get_if<Claim>(&command);
    rows += claim == nullptr ? 1 : claim->attempt_ids.size();
    if (const auto* end = std::get_if<EndActivation>(&command)) rows += end->answer.commands.size();
  }
  return rows;
}

template <typename T>
std::vector<const T*> commands_at(std::span<const Command> commands, std::span<const std::size_t> places) {
  std::vector<const T*> chosen;
  for (const std::size_t place : places) chosen.push_back(&std::get<T>(commands[place]));
  return chosen;
}

bool is_answer(const Command& command) {
  return std::holds_alternative<Complete>(command) || std::holds_alternative<Fail>(command) ||
         std::holds_alternative<Heartbeat>(command) || std::holds_alternative<EndActivation>(command);
}

/// Those that are refused for what they ask for are found out one by one.
bool fits_into_set(const Submit& submit) {
  return !submit.plan && !(postgres::is_code_workflow(submit) && domain::code::refusal_of_workflow(submit.spec));
}

/// Identities that are held are locked together, in the order that everybody keeps.
void lock_held(Batch& batch, std::span<const Submit* const> submissions) {
  std::vector<postgres::TenantAndHash> identities;
  for (const Submit* submit : submissions) {
    if (submit->spec.identity.mode != domain::Mode::none)
      identities.emplace_back(submit->spec.tenant, submit->spec.identity.hash);
  }
  lock_identities(batch.connection, identities);
}

/// So are workflows that are told something.
void hold_signalled(Batch& batch, std::span<const SignalWorkflow* const> signals) {
  std::set<postgres::TenantAndId> ids;
  for (const SignalWorkflow* signal : signals) ids.emplace(signal->tenant, signal->id);
  hold_workflows(batch, ids);
}

/// Submissions one after the other.
std::vector<Outcome> submit_in_order(Batch& batch, std::span<const Submit* const> submissions) {
  lock_held(batch, submissions);
  std::vector<Outcome> outcomes;
  for (const Submit* submit : submissions) outcomes.push_back(apply(batch, *submit));
  return outcomes;
}

template <typename T>
concept AppliedAlone = requires(Batch& batch, const T& command) {
  { postgres::apply(batch, command) };
};

Outcome apply_alone(Batch& batch, const Command& command) {
  return std::visit(
      [&batch](const auto& each) -> Outcome {
        if constexpr (AppliedAlone<std::decay_t<decltype(each)>>) return postgres::apply(batch, each);
        else return Rejected{nothing_changed()};  // those of sets do not come here
      },
      command);
}

Outcome answer(AnswerSet& set, const Command& command) {
  return std::visit(
      [&set](const auto& each) -> Outcome {
        if constexpr (requires { set.answer(each); }) return set.answer(each);
        else return Rejected{nothing_changed()};  // only answers come here
      },
      command);
}

}  // namespace

PostgresStore::Inner::Application::Application(Inner& inner, std::span<const Command> commands)
    : inner_(inner), commands_(commands), outcomes_(commands.size()) {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto* submit = std::get_if<Submit>(&commands[i]);
    if (submit != nullptr && fits_into_set(*submit)) sets_.submits.push_back(i);
    else if (std::holds_alternative<Claim>(commands[i])) sets_.claims.push_back(i);
    else if (is_answer(commands[i])) sets_.answers.push_back(i);
    else others_.push_back(i);
  }
}

Applied PostgresStore::Inner::Application::run() {
  if (!sets_.empty()) run_sets();
  if (!takers_.empty()) {
    const Places takers = std::exchange(takers_, {});
    attempt(takers, [&](Batch& batch) { submit_one_by_one(batch, takers); });
  }
  run_others();
  applied_.now = now_ ? *now_ : inner_.clock.now();
  for (std::optional<Outcome>& outcome : outcomes_) applied_.outcomes.push_back(*std::move(outcome));
  return std::move(applied_);
}

void PostgresStore::Inner::Application::run_sets() {
  try {
    bool in_order = false;
    const auto work = [&](Batch& batch) {
      if (apply_sets(batch, sets_, in_order)) return;
      in_order = true;
      throw postgres::Contention("the submissions cannot be applied as one set");
    };
    Manner manner{rows_of(commands_) <= small_max ? Size::small : Size::any};
    // Behind submissions, which may have to wait for others, all is read late: what is found is newer.
    if (sets_.submits.empty()) {
      if (manner.size == Size::small) plan_ahead();
      manner.ahead = [this](postgres::Connection& connection) { ask_ahead(connection); };
    }
    recall_leases();
    take(inner_.transact(now_, work, manner));
    note_leases();
  } catch (const postgres::DataFault&) {
    run_sets_one_by_one();
  }
}

void PostgresStore::Inner::Application::run_others() {
  for (std::size_t at = 0; at < others_.size();) {
    std::size_t end = at + 1;
    const auto kind = [&](std::size_t i) { return commands_[others_[i]].index(); };
    while (end < others_.size() && end - at < together_max && kind(end) == kind(at)) ++end;
    const std::size_t done = end - at > 1 ? apply_together(std::span(others_).subspan(at, end - at)) : 0;
    at += done;
    for (; done == 0 && at < end; ++at) {
      const std::size_t place = others_[at];
      attempt({place}, [&](Batch& batch) { outcomes_[place] = apply_alone(batch, commands_[place]); });
    }
  }
}

/// Commands of a kind, one after the other, in one transaction: one wait for the disk. It ends before its time where
/// the next one has to find something removed. How many were applied: none when one of them needs a transaction of its
/// own.
std::size_t PostgresStore::Inner::Application::apply_together(std::span<const std::size_t> places) {
  std::size_t count = 0;
  try {
    take(inner_.transact(now_, [&](Batch& batch) {
      count = 0;
      if (std::holds_alternative<Submit>(commands_[places[0]]))
        lock_held(batch, commands_at<Submit>(commands_, places));
      if (std::holds_alternative<SignalWorkflow>(commands_[places[0]]))
        hold_signalled(batch, commands_at<SignalWorkflow>(commands_, places));
      while (count < places.size() && closed_to_forget(batch).empty()) {
        batch.command_began = batch.changes.size();
        outcomes_[places[count]] = apply_alone(batch, commands_[places[count]]);
        ++count;
      }
    }));
    return count;
  } catch (const postgres::DataFault&) {
  } catch (const postgres::Contention&) {
  }
  return 0;
}

/// One bad command harms only itself.
void PostgresStore::Inner::Application::run_sets_one_by_one() {
  takers_.clear();
  ahead_ = {};
  for (const std::size_t place : sets_.submits)
    attempt({place}, [&](Batch& batch) { submit_one_by_one(batch, {place}); });
  for (const std::size_t place : sets_.answers)
    attempt({place}, [&](Batch& batch) { apply_sets(batch, {{}, {place}, {}}, true); });
  for (const std::size_t place : sets_.claims)
    attempt({place}, [&](Batch& batch) { apply_sets(batch, {{}, {}, {place}}, true); });
}

void PostgresStore::Inner::Application::submit_one_by_one(Batch& batch, const Places& places) {
  std::vector<Outcome> outcomes = submit_in_order(batch, commands_at<Submit>(commands_, places));
  for (std::size_t i = 0; i < places.size(); ++i) outcomes_[places[i]] = std::move(outcomes[i]);
}

/// Locks come in their order: identities, queues, runs, executions. So each kind does its first part, then the queues
/// of all are locked, and then each does its second part. False when the submissions cannot be applied as one set.
bool PostgresStore::Inner::Application::apply_sets(Batch& batch, const Sets& sets, bool in_order) {
  const std::vector<const Submit*> submissions = commands_at<Submit>(commands_, sets.submits);
  const std::vector<const Claim*> claims = commands_at<Claim>(commands_, sets.claims);
  if (const auto options = std::exchange(ahead_.options, std::nullopt))
    batch.queues.told_ahead(ahead_.queues, *options);
  SubmitSet submit_set(batch, submissions);
  if (in_order) submit_one_by_one(batch, sets.submits);
  else if (!submit_set.insert()) return false;
  AnswerSet answer_set(batch);
  const std::vector<postgres::TenantAndAttempt> attempts = attempts_of(sets.answers);
  std::vector<postgres::GivenLease> given = std::exchange(ahead_.given, {});
  answer_set.recall(given);
  answer_set.read(attempts, std::exchange(ahead_.attempts, std::nullopt));
  ahead_.unknown = attempts;  // when it is tried again
  for (const std::size_t place : sets.answers) {
    if (const auto* end = std::get_if<EndActivation>(&commands_[place])) answer_set.expect(*end);
  }
  ClaimSet claim_set(batch, claims);
  std::set<postgres::TenantAndQueue> queues = submit_set.queues();
  queues.merge(answer_set.queues());
  const bool has_keys = !queues.empty();
  queues.merge(claim_set.queues(sets.submits.empty() && sets.answers.empty()));
  batch.queues.lock(queues);
  answer_set.lock_runs();

  if (!in_order) {
    submit_set.settle();
    takers_.clear();
    for (std::size_t i = 0; i < sets.submits.size(); ++i) {
      outcomes_[sets.submits[i]] = std::move(submit_set.outcomes()[i]);
      if (!outcomes_[sets.submits[i]]) takers_.push_back(sets.submits[i]);
    }
  }
  bool beats = false;
  bool ends = false;
  for (const std::size_t place : sets.answers)
    (std::holds_alternative<Heartbeat>(commands_[place]) ? beats : ends) = true;
  if (has_keys || (beats && ends)) answer_set.lock_all();
  for (const std::size_t place : sets.answers) outcomes_[place] = answer(answer_set, commands_[place]);
  answer_set.write();
  settle_runs(batch);
  use_ahead(batch, answer_set, claim_set);
  claim_set.run();
  add_inputs(batch, claim_set.outcomes());
  add_activations(batch, claim_set.outcomes());
  for (std::size_t i = 0; i < sets.claims.size(); ++i) outcomes_[sets.claims[i]] = std::move(claim_set.outcomes()[i]);
  return true;
}

/// A transaction for some commands. Once something was committed, a failure is the answer of those commands alone.
void PostgresStore::Inner::Application::attempt(const Places& places, const std::function<void(Batch&)>& work) {
  std::optional<Outcome> failed;
  try {
    try {
      take(inner_.transact(now_, work));
    } catch (const postgres::DataFault&) {
      take(inner_.transact(now_, work));  // another may have made the same id just now: then it is found
    }
  } catch (const postgres::DataFault& fault) {
    failed = Rejected{{ErrorCode::bad_request, fmt::format("the store cannot hold this: {}", fault.what())}};
  } catch (const OutcomeUnknown&) {
    if (!has_committed_) throw;
    failed = Rejected{outcome_unknown()};
  } catch (const StoreFault&) {
    if (!has_committed_) throw;
    failed = Rejected{nothing_changed()};
  }
  if (!failed) return;
  for (const std::size_t place : places) outcomes_[place] = *failed;
}

void PostgresStore::Inner::Application::take(Told told) {
  has_committed_ = true;
  std::move(told.changes.begin(), told.changes.end(), std::back_inserter(applied_.changes));
  std::move(told.ready.begin(), told.ready.end(), std::back_inserter(applied_.ready));
  if (told.to_forget.empty()) return;
  try {
    std::vector<domain::Execution> gone;
    inner_.transact(now_, [&](Batch& batch) { gone = forget_closed(batch, told.to_forget, told.leaving); });
    std::move(gone.begin(), gone.end(), std::back_inserter(applied_.gone));
  } catch (const StoreFault& fault) {  // the sweeper finds them
    log::warn("closed tasks could not be removed at once: {}", fault.what());
  }
}

Applied PostgresStore::Inner::apply(std::span<const Command> commands) {
  Applied applied = Application(*this, commands).run();
  keep_time(false);
  return applied;
}

}  // namespace semel::store
