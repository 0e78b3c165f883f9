#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "domain/usage.hpp"
#include "ports/clock.hpp"
#include "ports/store.hpp"
#include "store/common/schema.hpp"

namespace semel::store {

struct SqliteOptions {
  int readers = 4;
  std::size_t identity_generation = 0;  // 0 = the default; tests make it small to see merges
  std::size_t list_rows_max = 50'000;   // that one page may look at
  std::size_t list_zone_rows = 4'096;   // of which is kept together what they have
  domain::TenantLimits limits{};
  Migrate migrate = Migrate::automatically;
};

/// One SQLite file: write-ahead log, synchronous=FULL, one connection that writes and a few that read. The file is this
/// process's alone (a lock beside it says so). Nothing apply() returned is lost by a crash of process or machine.
class SqliteStore final : public Store {
 public:
  /// Opens or creates the file and brings its schema up to date. Throws StoreFault with what to do.
  SqliteStore(const std::filesystem::path& file, const Clock& clock, SqliteOptions options = {});
  ~SqliteStore() override;

  Applied apply(std::span<const Command> commands) override;
  std::vector<std::optional<Held>> probe(std::span<Submit* const> submissions) override;
  std::optional<domain::Execution> find(std::string_view tenant, domain::ExecutionId id) override;
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
  bool tidy_up() override;

  /// SQLite's own check of the whole file; "ok", or what is wrong. Slow.
  std::string check_integrity();

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace semel::store
