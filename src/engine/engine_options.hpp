#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "base/result.hpp"
#include "base/uuid7_source.hpp"
#include "domain/queue.hpp"
#include "domain/retry.hpp"
#include "domain/schedule/definition.hpp"
#include "domain/template.hpp"
#include "engine/commit_queue.hpp"
#include "engine/dispatcher_options.hpp"
#include "ports/dedup_cache.hpp"

namespace semel::engine {

struct EngineOptions {
  CommitQueueOptions commits;
  Duration duplicates_flushed_after = 10s;
  domain::RetryPolicy retry{};                           // of tasks that do not say otherwise
  std::map<std::string, domain::QueueOptions> queues{};  // of all tenants that say nothing else
  Duration swept_every = 1h;                             // what retention may remove
  Duration archived_every = 1min;                        // what closed a while ago
  Duration looked_again_after = 5s;                      // for what other servers have not told
  std::size_t events_kept = 65'536;                      // of all tenants
  DedupCache* dedup_cache = nullptr;                     // absent = the store is asked; must outlive the engine
  DispatcherOptions dispatch{};
  Uuid7Source::Random random = secure_random;
  /// Reads a stored document again. Injected, because the engine knows no file format.
  std::function<Result<domain::Template>(const std::string& document)> read_template;
  std::function<Result<domain::ScheduleDefinition>(const std::string& name, const std::string& document)> read_schedule;
};

}  // namespace semel::engine
