#pragma once
#include <memory>
#include <string>

#include "domain/usage.hpp"
#include "ports/clock.hpp"
#include "ports/store.hpp"
#include "store/common/schema.hpp"

namespace semel::store {

struct PostgresOptions {
  int connections = 4;  // that apply commands: as many threads may call apply() at a time
  int readers = 4;
  std::size_t list_rows_max = 200'000;  // that one page may look at
  domain::TenantLimits limits{};
  Duration stays_for = 1h;      // after closing, before an execution is put away
  Duration kept_long = 48h;     // only of queues that keep at least so long is anything put away
  Duration leaving_for = 1min;  // that days are hidden, before they are dropped
  int archived_at_once = 500;   // executions that one step puts away
  Migrate migrate = Migrate::automatically;
  const Clock* clock = nullptr;  // of a test, instead of the database's; must outlive the store
};

/// One PostgreSQL database (15 or newer), which any number of stores share: all that decides is in it. Nothing that
/// apply() returned is lost by a crash of the process, or of the database where that keeps what it commits. A
/// connection that breaks is opened again by the next call.
class PostgresStore final : public Store, private Promises {
 public:
  /// `target` is a URL (postgres://…) or a connection string of libpq. Brings the schema up to date. Throws StoreFault
  /// with what to do.
  explicit PostgresStore(const std::string& target, PostgresOptions options = {});
  ~PostgresStore() override;

  /// Callable from any thread; more than `connections` at a time wait for each other.
  Applied apply(std::span<const Command> commands) override;
  std::vector<std::optional<Held>> probe(std::span<Submit* const> submissions) override;
  std::optional<domain::Execution> find(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<domain::Execution> find_departed(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<domain::Holder> find_tombstone(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<Held> find_holder(std::string_view tenant, const Hash32& hash) override;
  std::vector<domain::Attempt> attempts(std::string_view tenant, domain::ExecutionId id) override;
  std::vector<domain::Attempt> running_attempts(std::string_view tenant,
                                                std::span<const domain::ExecutionId> ids) override;
  std::optional<StoredRun> run(std::string_view tenant, domain::ExecutionId id) override;
  std::optional<StoredWorkflow> workflow(std::string_view tenant, domain::ExecutionId id) override;
  std::vector<HistoryEntry> history(std::string_view tenant, domain::ExecutionId id, std::int64_t after,
                                    std::size_t limit) override;
  DuplicateTally duplicates(std::string_view tenant, domain::ExecutionId id) override;
  std::vector<StoredTemplate> templates() override;
  std::vector<StoredTemplate> template_versions(std::string_view tenant, std::string_view namespace_,
                                                std::string_view name) override;
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

  int appliers() const override;
  bool is_shared() const override { return true; }
  bool reads_wait() const override { return true; }
  /// Also tells the other servers what this one does, from then on.
  void listen(std::function<void(const News&)> heard) override;
  bool leads() override;
  bool archive() override;
  Promises* promises() override { return this; }

 private:
  // promises.cpp
  Promised promise(std::span<const Holding> holdings, Duration length, Duration grace) override;
  std::string secret() override;
  Time promises_now() const override { return now(); }

  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace semel::store
