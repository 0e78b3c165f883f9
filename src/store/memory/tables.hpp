#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "domain/usage.hpp"
#include "ports/store.hpp"

/// What the memory store keeps, as plain containers. Functions over it are grouped by idea: submit.cpp,
/// claim.cpp, attempt.cpp, queue.cpp, schedule.cpp, upkeep.cpp, template.cpp. All of them decide by functions of the
/// domain and only look up and write.
namespace semel::store::memory {

using TenantAndId = std::pair<std::string, domain::ExecutionId>;
using TenantAndAttempt = std::pair<std::string, domain::AttemptId>;
using TenantAndHash = std::pair<std::string, Hash32>;
using TenantAndQueue = std::pair<std::string, std::string>;
using TenantAndSchedule = std::pair<std::string, std::string>;

/// What a pending task waits for.
enum class Phase : std::uint8_t {
  ready,    // for a worker
  waiting,  // for its run_at, until PromoteDue
  blocked,  // for another task with its concurrency_key to end
};

/// An execution with all that hangs on it and goes with it.
struct Record {
  domain::Execution execution;
  std::uint64_t seq = 0;  // the order of creation
  Phase phase = Phase::ready;
  std::vector<domain::Attempt> attempts;  // oldest first
  std::uint64_t duplicates = 0;
  std::vector<DuplicateHit> last_duplicates;  // newest last
};

/// What is left of a removed execution. It stays until another execution takes its identity or its id.
struct Tombstone {
  domain::Holder holder;
  bool client_made_id = false;
  std::optional<Hash32> hash;  // absent when it holds no identity: it had none, or it was taken over
  std::optional<Time> expires_at{};
};

/// A version of a template. The revision outlives the document, so that (version, revision) never names two
/// contents.
struct TemplateVersion {
  int revision = 0;
  std::optional<std::string> document;  // absent after RemoveTemplate
};

/// Tenant, namespace, name, version.
using TemplateKey = std::tuple<std::string, std::string, std::string, std::string>;

struct Tables {
  std::map<TenantAndId, Record> executions;
  std::map<TenantAndId, Tombstone> tombstones;  // no id is here and in `executions` at once
  /// Who holds an identity: the newest execution that carries it, or the tombstone of that one. A takeover
  /// moves it on; when the newest goes without a tombstone, no older one gets it back.
  std::map<TenantAndHash, domain::ExecutionId> holders;
  std::map<TenantAndAttempt, domain::ExecutionId> attempts;
  std::map<TemplateKey, TemplateVersion> templates;
  std::map<TenantAndQueue, domain::QueueOptions> queues;  // no tenant: of all
  std::map<TenantAndQueue, domain::TokenBucket> buckets;
  std::map<TenantAndSchedule, domain::ScheduleRecord> schedules;
  std::map<std::string, domain::ApiKey> keys;             // by id
  std::vector<std::pair<std::string, AuditEntry>> audit;  // tenant and entry, oldest first
  std::uint64_t last_seq = 0;
  domain::TenantLimits limits;
  std::vector<Change> changes;          // of the batch that is being applied
  std::vector<Ready> ready;             // too
  std::vector<domain::Execution> gone;  // too
};

// ---- Commands. `now` is the one time of the batch.

Outcome apply(Tables& tables, const Submit& submit, Time now);
Outcome apply(Tables& tables, const Claim& claim, Time now);
Outcome apply(Tables& tables, const Complete& complete, Time now);
Outcome apply(Tables& tables, const Fail& fail, Time now);
Outcome apply(Tables& tables, const Heartbeat& heartbeat, Time now);
Outcome apply(Tables& tables, const GiveBack& given, Time now);
Outcome apply(Tables& tables, const Cancel& cancel, Time now);
Outcome apply(Tables& tables, const Reopen& reopen, Time now);
Outcome apply(Tables& tables, const ExpireLeases& expire, Time now);
Outcome apply(Tables& tables, const PromoteDue& promote, Time now);
Outcome apply(Tables& tables, const Remove& remove, Time now);
Outcome apply(Tables& tables, const Sweep& sweep, Time now);
Outcome apply(Tables& tables, const Release& release, Time now);
Outcome apply(Tables& tables, const PutTemplate& put, Time now);
Outcome apply(Tables& tables, const RemoveTemplate& remove, Time now);
Outcome apply(Tables& tables, const PutQueue& put, Time now);
Outcome apply(Tables& tables, const PauseQueue& pause, Time now);
Outcome apply(Tables& tables, const SetQueueDefaults& defaults, Time now);
Outcome apply(Tables& tables, const PutSchedule& put, Time now);
Outcome apply(Tables& tables, const PauseSchedule& pause, Time now);
Outcome apply(Tables& tables, const RemoveSchedule& remove, Time now);
Outcome apply(Tables& tables, const AdvanceSchedule& advance, Time now);
Outcome apply(Tables& tables, const RecordDuplicates& record, Time now);
Outcome apply(Tables& tables, const CreateKey& create, Time now);
Outcome apply(Tables& tables, const RevokeKey& revoke, Time now);

/// What holds for a queue.
domain::QueueSettings settings_of(const Tables& tables, const std::string& tenant, const std::string& queue);

/// Finds the phase of a pending record that nobody works on, or no longer. It must be in the tables.
void enter_queue(Tables& tables, Record& record, Time now);
/// A task with a concurrency_key is not ready or running any more: makes room for the next ones, and says which, but
/// for the `known` one.
void make_room(Tables& tables, const domain::ExecutionSpec& gone, const Record* known = nullptr);

/// Notes that the record came to its state.
void tell(Tables& tables, const Record& record);

/// Closes a record that nobody works on, because its deadline has passed.
void time_out(Tables& tables, Record& record, Time now);

/// When something will happen to the record by itself: its lease ends, its time comes, its deadline passes.
std::optional<Time> timer_of(const Record& record);

/// A tombstone that holds nothing any more goes.
void forget_tombstone(Tables& tables, const TenantAndId& id);
/// The tombstone loses its identity to an execution. It stays for the promise of a client-made id only.
void take_from_tombstone(Tables& tables, const TenantAndId& id);

/// Adds to the audit log.
void note(Tables& tables, const std::string& tenant, AuditEntry entry);

// ---- Reads.

/// The holder that makes the submission a duplicate at `now`, or nothing when it would create an execution.
std::optional<Held> duplicate_of(const Tables& tables, const Submit& submit, Time now);

/// Whoever holds the identity, whatever it says of takeover.
std::optional<Held> holder_of_hash(const Tables& tables, std::string_view tenant, const Hash32& hash);

Result<Page> list(const Tables& tables, const ListQuery& query);

/// Removes what has closed in queues that keep nothing; `first` is the first change to look at.
void forget_closed(Tables& tables, std::size_t first, Time now);

/// The record, or null.
Record* find_record(Tables& tables, const std::string& tenant, domain::ExecutionId id);

}  // namespace semel::store::memory
