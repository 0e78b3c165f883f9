#pragma once
#include <optional>
#include <string>
#include <vector>

#include "domain/attempt_name.hpp"
#include "domain/context_text.hpp"
#include "domain/execution.hpp"

namespace semel {

/// Only executions with a text in their context. No index helps with that: of what fits otherwise, contexts are looked
/// at one by one, newest first, and a page ends where the search has looked at so many, or its time is over. It looks
/// at `search_step` of them at least, so that following `next` comes to an end.
struct ContextSearch {
  domain::ContextText wanted;
  std::size_t contexts_max = 20'000;
  Time until{};  // by the store's clock
};
inline constexpr std::size_t search_step = 64;

/// Only executions of which a dispatch or a timer has this external identifier, or had it (domain/attempt_name.hpp).
/// What the outbox does not have is in no index either: names are derived, and a page ends as above.
struct NameSearch {
  domain::WantedName wanted;
  std::size_t executions_max = 50'000;
  Time until{};  // by the store's clock
};

/// Which executions a list shows. What is absent or empty does not restrict.
struct ListQuery {
  std::string tenant;
  std::optional<std::string> namespace_{};
  std::optional<std::string> name{};
  std::optional<std::string> queue{};
  std::optional<std::string> handler{};
  std::optional<domain::Kind> kind{};
  std::optional<domain::ExecutionId> run{};  // only its tasks
  std::vector<domain::State> states{};
  domain::Labels labels{};               // all of them
  std::optional<Time> created_after{};   // at or after
  std::optional<Time> created_before{};  // before
  std::optional<ContextSearch> search{};
  std::optional<NameSearch> named{};  // one of these two at most
  std::size_t limit = 100;
  std::optional<std::string> cursor{};  // Page::next of the page before
};

/// Newest first. Whoever follows `next` sees every execution that was there all the time exactly once, whatever comes
/// and goes meanwhile. A page may be short, or even empty, and still have a next one: the work for a page is bounded.
struct Page {
  std::vector<domain::Execution> executions{};  // without context, item, result and error
  std::optional<std::string> next{};
  std::size_t looked_at = 0;             // of a search: so many executions
  std::optional<Time> looked_back_to{};  // of a search: when the last of these was created
};

/// How many open tasks a queue has. Queues without any are not listed.
struct QueueDepth {
  std::string tenant{};
  std::string queue{};
  std::uint64_t ready = 0;
  std::uint64_t waiting = 0;  // for their run_at
  std::uint64_t blocked = 0;  // until another task with their concurrency_key ends
  std::uint64_t running = 0;
  /// Since when the ready one waits that is due the longest, of those that are first for their handler and priority.
  std::optional<Time> waits_since{};

  bool operator==(const QueueDepth&) const = default;
};

/// An act of an administrator.
struct AuditEntry {
  std::int64_t seq = 0;
  Time at{};
  std::string actor{};    // API key id
  std::string action{};   // "identity.release", "key.create", …
  std::string subject{};  // what it was done to

  bool operator==(const AuditEntry&) const = default;
};

}  // namespace semel
