#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/postgres/places.hpp"

namespace semel::store::postgres {

using TenantAndAttempt = std::pair<std::string, domain::AttemptId>;

/// What an attempt left behind.
struct Outputs {
  std::optional<std::string_view> result = std::nullopt;
  std::optional<std::string_view> error = std::nullopt;
};

/// What decisions about attempts need of an execution, as it is after those before.
struct AttemptedExecution {
  domain::Execution execution{};
  std::uint64_t context_bytes = 0;
  bool awaited = false;  // a task of a run was attached to it when it was read
  bool gone = false;     // closed, in a queue that keeps nothing
};

/// An attempt with its execution, which other attempts of the set may share.
struct Current {
  domain::Attempt attempt{};
  AttemptedExecution* of = nullptr;
  std::optional<int> repair{};  // of its dispatch, if it is pushed
};

struct GivenLease;

/// What ends attempts or keeps them alive, for a whole batch: read as a set, decided in order, written as a set.
/// Nothing but runs is locked while it is decided; each write says what it has seen, and when that has changed since,
/// the transaction is tried again. What ends is told to runs by settle_runs(), after it was written.
class AnswerSet {
 public:
  explicit AnswerSet(Batch& batch) : batch_(batch) {}

  /// Asks for the attempts with the beginning of a transaction: `told` gets what read() wants.
  static void ask_ahead(Connection& connection, std::span<const TenantAndAttempt> attempts, Connection::Check told);
  void read(std::span<const TenantAndAttempt> attempts, std::optional<Rows> told_ahead = std::nullopt);
  /// These need not be read; before read().
  void recall(std::span<GivenLease> leases);
  /// What activations came to; before queues().
  void expect(const EndActivation& command);
  /// The queues to be locked before anything is decided: of tasks with a concurrency_key.
  std::set<TenantAndQueue> queues();
  /// Locks the runs that will be told of what ends: after the queues, before anything is decided.
  void lock_runs();
  /// Needed where more than one statement will write: one that waits for the executions in their order.
  void lock_all();

  /// Whether what was decided so far can have made tasks ready, now or when it is written.
  bool may_make_ready() const { return may_make_ready_; }

  /// Null when there is no such attempt, or no more.
  Current* find(const std::string& tenant, domain::AttemptId id);

  Outcome answer(const Complete& command);
  Outcome answer(const Fail& command);
  Outcome answer(const Heartbeat& command);
  Outcome answer(const EndActivation& command);
  /// Ends a running attempt, and with it the execution, unless there will be another attempt.
  void end(Current& current, const domain::Ending& ending, const Outputs& outputs);
  /// Ends an attempt that never reached its worker.
  void give_back(Current& current);

  /// Writes what was decided. Texts of commands must live until then.
  void write();

 private:
  struct Ended {
    TenantAndId execution;
    domain::AttemptId attempt;
    int number = 0;
    bool cancel_seen = false;
    domain::AttemptOutcome outcome{};
    Outputs outputs{};
    domain::State state{};
    Phase phase = Phase::neither;
    std::optional<Time> run_at{};  // absent: it is closed
    int uncounted = 0;
    std::optional<KeyPlace> key{};
    std::size_t change = 0;  // its place in the batch's
  };
  /// An activation that has ended without an answer: what becomes of its workflow is noted there.
  struct Lost {
    TenantAndId execution;
    domain::AttemptId attempt;
    domain::AttemptOutcome outcome{};
    std::optional<std::string_view> error{};
  };
  struct Beat {
    TenantAndId execution;
    int number = 0;
    Time lease_until{};
    std::optional<domain::Progress> progress{};
    std::optional<int> repair{};            // of its dispatch, if it is pushed
    std::optional<std::string> accepted{};  // what the target said
  };

  void add(const Rows& rows);
  Outcome answer_ended(const TenantAndAttempt& id, const domain::Ending& ending, const Outputs& outputs);
  Owners owners_to_tell();
  void write_accepted();
  void settle_in_order();
  HeldWorkflow& activated(const Current& current);
  AttemptAnswer answer_unknown(const EndActivation& command);
  void lose(Current& current, const domain::Ending& ending, std::optional<std::string_view> error);
  void add(Current& current, Ended ended);
  void close(Current& current, Ended ended);
  void queue_again(Current& current, Ended ended, Time run_at);
  void write_ended();
  void write_one(const Ended& ended);
  void check_names();
  bool concerns_others(const Ended& ended) const;
  void note_closed(const Rows& written);
  void write_lost();
  void write_beats();
  void write_stale();

  Batch& batch_;
  std::map<TenantAndId, AttemptedExecution> executions_;
  std::map<TenantAndAttempt, Current> attempts_;
  std::vector<Ended> ended_;
  std::set<KeyPlace> keys_;                  // of those in ended_
  std::map<TenantAndAttempt, int> refused_;  // by targets, under the name that the dispatch had when it was read
  std::vector<Lost> lost_;
  std::map<TenantAndAttempt, Beat> beats_;
  std::map<TenantAndAttempt, int> stale_;
  Owners owners_;                    // runs and workflows that will be told
  std::set<TenantAndQueue> queues_;  // that tasks with a concurrency_key may be added to
  bool may_make_ready_ = false;
  bool in_order_ = false;  // what one answer leads to decides what the next one finds
};

}  // namespace semel::store::postgres
