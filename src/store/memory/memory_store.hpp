#pragma once
#include <mutex>

#include "base/forward_time.hpp"
#include "ports/clock.hpp"
#include "ports/store.hpp"
#include "store/memory/tables.hpp"

namespace semel::store {

/// The readable specification of the port: everything in plain containers, nothing durable, nothing fast.
/// Tests and simulations use it, and other stores are compared with it. Callable from any thread; the clock
/// must outlive it.
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(const Clock& clock, domain::TenantLimits limits = {});

  Applied apply(std::span<const Command> commands) override;

  std::vector<std::optional<Held>> probe(std::span<Submit* const> submissions) override;
  std::optional<domain::Execution> find(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<domain::Holder> find_tombstone(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<Held> find_holder(std::string_view tenant, const Hash32& hash) override;
  std::vector<domain::Attempt> attempts(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<StoredRun> run(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<StoredWorkflow> workflow(std::string_view tenant, domain::ExecutionId id) override;
  std::vector<HistoryEntry> history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                    std::size_t limit) override;
  DuplicateTally duplicates(std::string_view tenant, domain::ExecutionId id) override;
  std::vector<StoredTemplate> templates() override;
  std::vector<StoredQueue> queues() override;
  std::optional<domain::ScheduleRecord> schedule(std::string_view tenant, std::string_view name) override;
  std::vector<domain::ScheduleRecord> schedules(std::string_view tenant, std::string_view after,
                                                std::size_t limit) override;
  std::vector<domain::ScheduleRecord> due_schedules(Time until, std::size_t limit) override;
  std::optional<Time> next_schedule() override;
  Result<Page> list(const ListQuery& query) override;
  std::vector<domain::ApiKey> api_keys() override;
  std::vector<AuditEntry> audit(std::string_view tenant, std::optional<std::int64_t> before,
                                std::size_t limit) override;
  std::vector<QueueDepth> queue_depths() override;
  std::vector<StoredDispatch> dispatches(const DispatchQuery& query) override;
  std::vector<DispatchDepth> dispatch_depths() override;
  std::optional<Time> next_dispatch() override;
  std::optional<Time> next_timer() override;
  Time now() const override;

 private:
  /// Never goes backwards, also when the clock does. The mutex must be held.
  Time time() const;

  const Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  ForwardTime forward_;
  memory::Tables tables_;
};

}  // namespace semel::store
