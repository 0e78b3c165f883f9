#pragma once
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/builders.hpp"

namespace semel::test {

/// Random batches over a small world – few tenants, identities, ids and queues – so that they meet all the
/// time, and with durations that are multiples of each other, so that times meet to the tick. The same seed,
/// the same commands, as long as the outcomes that it learns from are the same.
class RandomCommands {
 public:
  explicit RandomCommands(std::uint32_t seed) : random_(seed), ids_(seed) {
    for (int i = 0; i < client_ids; ++i) executions_.push_back(ids_.execution());  // the ids that clients like to make
  }

  /// 1 to 5 commands of one kind.
  std::vector<Command> batch() {
    const std::size_t kind = weighted({30, 22, 12, 10, 5, 7, 4, 5, 14, 4, 2, 1, 2, 4, 3, 2, 1, 5, 3, 8, 5, 6, 2});
    std::vector<Command> commands;
    for (int left = number(1, 5); left > 0; --left) commands.push_back(command(kind));
    return commands;
  }

  Duration step() {
    return one_of(std::array<Duration, 12>{0ms, 0ms, 0ms, 1ms, 1ms, 5s - 1ms, 5s, 5s, 10s, 1h, 1h, 24h});
  }

  bool chance(int percent) { return number(1, 100) <= percent; }

  /// Remembers what can be referred to later.
  void learn(const Outcome& outcome) {
    if (const Created* created = std::get_if<Created>(&outcome)) executions_.push_back(created->id);
    if (const ScheduleStored* stored = std::get_if<ScheduleStored>(&outcome)) see(stored->schedule);
    if (const ScheduleAdvanced* advanced = std::get_if<ScheduleAdvanced>(&outcome)) {
      see(advanced->schedule);
      for (const domain::FiringRecord& each : advanced->firings) {
        if (each.task) executions_.push_back(*each.task);
      }
    }
    if (const Claimed* claimed = std::get_if<Claimed>(&outcome)) {
      for (const Lease& lease : claimed->leases) attempts_.emplace_back(lease.execution.spec.tenant, lease.attempt_id);
    }
  }
  void learn(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (domain::is_closed(change.state)) closed_.emplace_back(change.tenant, change.id);
    }
  }

  /// All ids that a command may have used.
  const std::vector<domain::ExecutionId>& executions() const { return executions_; }
  const std::array<std::string, 2>& tenants() const { return tenants_; }
  std::vector<Hash32> hashes() const { return {hash_of("a"), hash_of("b"), hash_of("c")}; }

 private:
  static constexpr int client_ids = 4;

  Command command(std::size_t kind) {
    switch (kind) {
      case 0: return submit();
      case 1: return claim();
      case 2: return complete();
      case 3: return fail();
      case 4: return heartbeat();
      case 5: return Cancel{tenant(), execution(), chance(20), "admin"};
      case 6: return ExpireLeases{};
      case 7: return PromoteDue{};
      case 8: return remove();
      case 9: return Release{tenant(), one_of(hashes()), chance(30), "admin"};
      case 10:
        return PutTemplate{tenant(), "shop", "charge", number(1, 2) == 1 ? "1.0.0" : "2.0.0",
                           number(1, 2) == 1 ? "{}" : "[]"};
      case 11: return RemoveTemplate{tenant(), "shop", "charge", chance(50) ? "" : "1.0.0"};
      case 12: return duplicates();
      case 13: return reopen();
      case 14: return give_back();
      case 15: return PutQueue{tenant(), queue(), queue_options(), "admin"};
      case 16: return queue_defaults();
      case 17: return Sweep{1000};
      case 18: return change_schedule();
      case 19: return advance_schedule();
      case 20: return postpone();
      case 21: return TakeDispatches{number(1, 5), chance(50) ? 5s : 10s};
      default: return RepairDispatch{tenant(), execution(), "admin"};
    }
  }

  Submit submit() {
    SubmitBuilder made = submission(ids_);
    made.tenant(tenant()).queue(queue()).handler(handler()).context(std::to_string(number(0, 9)));
    made.priority(number(-1, 1)).head_start(one_of(std::array<Duration, 3>{0s, 0s, 5s})).window(window());
    made.reuse(static_cast<domain::Reuse>(number(0, 2))).created_by("key-" + std::to_string(number(1, 2)));
    if (chance(75)) made.key(std::string(1, static_cast<char>('a' + number(0, 2))));
    if (chance(30)) made.client_id(chance(70) ? client_id() : execution());
    if (chance(10)) made.run_at(ManualClock::start);
    else if (chance(20)) made.delay(one_of(std::array<Duration, 3>{0s, 5s, 10s}));
    if (chance(40)) made.retry({number(1, 3), static_cast<domain::Backoff>(number(0, 3)), 1s, 10s, 50});
    if (chance(10)) made.timeout(7s);
    if (chance(40)) made.concurrency_key(chance(50) ? "k1" : "k2");
    if (chance(10)) made.deadline_after(one_of(std::array<Duration, 2>{5s, 1h}));
    return made;
  }

  Claim claim() {
    Claim made = claim_of(ids_, static_cast<std::size_t>(number(1, 3)), chance(50) ? 5s : 10s);
    made.tenant = tenant();
    made.queues = chance(60) ? std::vector<std::string>{"q2", "q1"} : std::vector<std::string>{queue()};
    if (chance(20)) made.weights.assign(made.queues.size(), number(1, 3));
    if (chance(30)) made.handlers = {handler()};
    if (!chance(30)) return made;
    made.push = chance(50) ? 5s : 10s;
    made.worker = domain::push_worker;
    made.lease = domain::unaccepted_lease;
    return made;
  }

  PostponeDispatch postpone() {
    const auto [tenant, id] = attempt();
    return {tenant,      id, chance(50), one_of(std::array<Duration, 3>{0s, 5s, 10s}), chance(50) ? "503" : "",
            number(0, 1)};
  }

  Complete complete() {
    const auto [tenant, id] = attempt();
    return {tenant, id, chance(80) ? std::optional(std::to_string(number(0, 99))) : std::nullopt};
  }

  Fail fail() {
    const auto [tenant, id] = attempt();
    const std::optional<Duration> after =
        chance(20) ? std::optional<Duration>(one_of(std::array<Duration, 2>{0s, 5s})) : std::nullopt;
    return {tenant, id, std::to_string(number(0, 99)), chance(80), after};
  }

  Heartbeat heartbeat() {
    const auto [tenant, id] = attempt();
    Heartbeat made{tenant, id, chance(50) ? 5s : 10s, std::nullopt};
    if (chance(30)) made.accepted = "202";
    made.repair = chance(80) ? 0 : 1;
    if (chance(50)) made.progress = domain::Progress{number(0, 1'000'000), chance(50) ? "on the way" : ""};
    return made;
  }

  GiveBack give_back() {
    const auto [tenant, id] = attempt();
    return {tenant, {id, attempt().second}};
  }

  /// Without a rate limit: its tokens are not kept over a restart.
  domain::QueueOptions queue_options() {
    domain::QueueOptions options;
    if (chance(50)) options.max_running = number(0, 3);
    if (chance(50)) options.max_running_per_key = number(1, 3);
    if (chance(20)) options.paused = chance(20);
    if (chance(30)) options.target = chance(70) ? "http://target" : "";
    if (chance(30)) options.target_dedup_window = one_of(std::array<Duration, 2>{0s, 10s});
    if (chance(30)) options.retention = one_of(std::array<Duration, 3>{0s, 10s, 1h});
    return options;
  }

  Command queue_defaults() {
    if (chance(50)) return PauseQueue{tenant(), queue(), chance(20), "admin"};
    SetQueueDefaults made;
    if (chance(60)) made.queues["q1"] = queue_options();
    if (chance(30)) made.queues["q2"] = queue_options();
    return made;
  }

  Command change_schedule() {
    const std::string name = schedule();
    if (chance(10)) return RemoveSchedule{tenant(), name, "admin"};
    if (chance(30)) return PauseSchedule{tenant(), name, chance(50), "admin"};
    const domain::ScheduleId id{ids_.execution().uuid};
    domain::ScheduleDraft draft{std::to_string(number(1, 3)), ManualClock::start,
                                ManualClock::start + 5s * number(0, 9)};
    if (chance(10)) draft.paused = chance(50);
    if (chance(10)) draft.next.reset();
    return PutSchedule{tenant(), name, id, draft, "key-" + std::to_string(number(1, 2))};
  }

  /// Mostly of a schedule as it was seen last.
  AdvanceSchedule advance_schedule() {
    if (schedules_.empty()) return {tenant(), schedule(), {}, 1, {}, ManualClock::start, std::nullopt};
    const domain::ScheduleRecord& seen = schedules_[static_cast<std::size_t>(number(0, 3)) % schedules_.size()].second;
    AdvanceSchedule made{seen.tenant, seen.name, seen.id, seen.version, {}, seen.handled + 5s, seen.handled + 10s};
    if (chance(10)) made.version -= 1;
    for (int left = number(0, 3); left > 0; --left) made.firings.push_back(firing(seen));
    return made;
  }

  Firing firing(const domain::ScheduleRecord& seen) {
    Firing made{seen.handled + 1s * number(1, 5), std::nullopt, std::nullopt, {}};
    if (chance(20)) return made;
    if (chance(10)) made.refusal = "no such template";
    else made.submit = submit();
    if (made.submit) made.submit->spec.tenant = seen.tenant;
    if (made.submit && chance(30)) made.cancels = execution();
    return made;
  }

  Remove remove() {
    if (closed_.empty() || chance(25)) return {tenant(), execution()};
    const auto& [tenant, id] = recent(closed_);
    return {tenant, id};
  }

  Reopen reopen() {
    if (closed_.empty() || chance(50)) return {tenant(), execution(), "admin"};
    const auto& [tenant, id] = recent(closed_);
    return {tenant, id, "admin"};
  }

  RecordDuplicates duplicates() {
    DuplicateTally tally{tenant(), execution(), static_cast<std::uint64_t>(number(1, 30)), {}};
    for (int i = number(0, 12); i > 0; --i)
      tally.last.push_back({ManualClock::start, "k", std::to_string(number(0, 99))});
    return {{tally}};
  }

  domain::Window window() {
    return one_of(
        std::vector{ttl(10s), ttl(36h), after_closing(0s), after_closing(10s), after_closing(36h), forever()});
  }

  void see(const std::optional<domain::ScheduleRecord>& schedule) {
    if (!schedule) return;
    const std::string key = schedule->tenant + "/" + schedule->name;
    std::erase_if(schedules_, [&](const auto& each) { return each.first == key; });
    schedules_.emplace_back(key, *schedule);
  }
  std::string schedule() { return chance(50) ? "s1" : "s2"; }
  std::string tenant() { return chance(85) ? tenants_[0] : tenants_[1]; }
  std::string queue() { return chance(50) ? "q1" : "q2"; }
  std::string handler() { return chance(50) ? "h1" : "h2"; }

  /// Mostly a late one, since the early ones are closed and gone; or one of the clients' own.
  domain::ExecutionId execution() { return chance(20) ? client_id() : recent(executions_); }
  domain::ExecutionId client_id() { return executions_[static_cast<std::size_t>(number(0, client_ids - 1))]; }

  std::pair<std::string, domain::AttemptId> attempt() {
    if (attempts_.empty() || chance(3)) return {tenant(), ids_.attempt()};
    std::pair<std::string, domain::AttemptId> known = recent(attempts_);
    if (chance(3)) known.first = tenant();
    return known;
  }

  template <typename T>
  const T& recent(const std::vector<T>& values) {
    const int size = static_cast<int>(values.size());
    const int first = chance(70) ? std::max(0, size - 6) : 0;
    return values[static_cast<std::size_t>(number(first, size - 1))];
  }

  template <typename Values>
  typename Values::value_type one_of(const Values& values) {
    return values[static_cast<std::size_t>(number(0, static_cast<int>(values.size()) - 1))];
  }

  /// An index, as often as its weight says.
  std::size_t weighted(const std::vector<int>& weights) {
    return std::discrete_distribution<std::size_t>(weights.begin(), weights.end())(random_);
  }

  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  const std::array<std::string, 2> tenants_{std::string(default_tenant), "globex"};
  std::mt19937 random_;
  Ids ids_;
  std::vector<domain::ExecutionId> executions_;
  std::vector<std::pair<std::string, domain::AttemptId>> attempts_;
  std::vector<std::pair<std::string, domain::ScheduleRecord>> schedules_;  // as they were seen last
  std::vector<std::pair<std::string, domain::ExecutionId>> closed_;        // or gone since
};

}  // namespace semel::test
