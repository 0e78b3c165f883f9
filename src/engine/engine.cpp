#include "engine/engine.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "base/log.hpp"

namespace semel::engine {
namespace {

/// What the configuration says now counts from here on.
std::vector<StoredQueue> read_queues(Store& store, const EngineOptions& options) {
  const Command defaults = SetQueueDefaults{options.queues};
  store.apply({&defaults, 1});
  return store.queues();
}

/// What signs the tokens of callbacks: the same for all servers of the store.
std::optional<Hash32> keep_callback_key(Store& store, const EngineOptions& options) {
  if (options.dispatch.targets == nullptr) return std::nullopt;
  KeepSecret keep{"dispatch callbacks", {}};
  for (std::size_t i = 0; i < keep.proposed.size(); i += 8) {
    const std::uint64_t random = options.random();
    std::memcpy(keep.proposed.data() + i, &random, sizeof random);
  }
  const Command command = std::move(keep);
  return std::get<SecretKept>(store.apply({&command, 1}).outcomes.at(0)).value;
}

/// Tasks that became ready and were claimed in one commit.
std::set<domain::ExecutionId> taken_at_once(const std::vector<Change>& changes) {
  std::set<domain::ExecutionId> ready;
  std::set<domain::ExecutionId> taken;
  for (const Change& change : changes) {
    if (change.is_ready) ready.insert(change.id);
    else if (change.state == domain::State::running && ready.contains(change.id)) taken.insert(change.id);
  }
  return taken;
}

}  // namespace

std::vector<std::pair<std::string, domain::Template>> read_all(std::vector<StoredTemplate> stored,
                                                               const EngineOptions& options) {
  std::vector<std::pair<std::string, domain::Template>> templates;
  for (StoredTemplate& each : stored) {
    Result<domain::Template> read = options.read_template(each.document);
    if (!read) {
      throw StoreFault(fmt::format("the stored template {}/{} cannot be read: {}", each.namespace_, each.name,
                                   read.error().message));
    }
    read->revision = each.revision;
    read->document = std::move(each.document);
    templates.emplace_back(std::move(each.tenant), *std::move(read));
  }
  return templates;
}

Engine::Engine(Store& store, EngineOptions options)
    : store_(store),
      options_(std::move(options)),
      callback_key_(keep_callback_key(store, options_)),
      begun_(store.now()),
      ids_(options_.random),
      templates_(read_all(store.templates(), options_)),
      queues_(read_queues(store, options_)),
      keys_(store.api_keys()),
      result_waiters_(timers_),
      ready_waiters_(timers_),
      turns_(ready_waiters_),
      events_(static_cast<std::uint32_t>(options_.random()), options_.events_kept),
      dispatcher_(options_.dispatch.targets == nullptr ? nullptr
                                                       : std::make_unique<Dispatcher>(*this, options_.dispatch)),
      postponed_(timers_, [this](CommitQueue::Entry entry) { commit_again(std::move(entry)); }),
      commits_(
          store, options_.commits, metrics_, [this] { return riding_duplicates(); },
          [this](const Applied& applied) { on_applied(applied); },
          [this](const Command& command) { announce(command); },
          [this](CommitQueue::Entry entry, Duration delay) { postponed_.add(std::move(entry), delay); }),
      maintenance_("maintenance", [this] { return maintenance_pass(); }) {
  if (!store.is_shared()) return;
  store.listen([this](const News& news) { on_news(news); });
  read_settings(true, true, true);  // what others have changed before this could be heard
}

// The last commits still wake waiters and the maintenance, so all of these must be there until the queue is closed.
Engine::~Engine() {
  if (options_.dedup_cache != nullptr) options_.dedup_cache->close();
  store_.listen(nullptr);
  stop_waiting();
  if (dispatcher_) dispatcher_->stop();
  maintenance_.stop();
  while (std::optional<CommitQueue::Entry> flush = duplicates_to_flush()) {
    if (!commits_.push(std::move(flush->command), std::move(flush->done))) break;
  }
  commits_.close();
  stop_waiting();
  timers_.stop();  // a time-out that has begun still looks at the waiters
}

void Engine::start_dispatching(std::string callback_url) {
  if (dispatcher_) dispatcher_->start(std::move(callback_url));
}

/// What has been promised is over: now the store should not postpone it again.
void Engine::commit_again(CommitQueue::Entry entry) {
  const CommitQueue::Done done = entry.done;
  std::vector<CommitQueue::Entry> entries;
  entries.push_back(std::move(entry));
  if (!commits_.push(std::move(entries))) done({store_.now(), tl::unexpected<Error>(overloaded())});
}

/// A worker that waits for such a task claims it in the commit that creates it: one fsync for both.
void Engine::announce(const Command& command) {
  const auto* submit = std::get_if<Submit>(&command);
  if (submit == nullptr || submit->run_at || submit->delay || submit->plan) return;
  ready_waiters_.ready(submit->spec.tenant, submit->spec.queue, submit->spec.handler);
}

/// Whoever waits or follows learns what changed, from the one list of all changes.
void Engine::on_applied(const Applied& applied) {
  bool some_taken = false;
  for (const Outcome& outcome : applied.outcomes) {
    const auto* claimed = std::get_if<Claimed>(&outcome);
    if (claimed == nullptr) continue;
    some_taken = some_taken || !claimed->leases.empty();
    for (const HeldBack& task : claimed->held_back) {
      turns_.hold(task, applied.now);
      if (task.until) expect_timer(*task.until);
    }
  }
  for (const Ready& ready : applied.ready) tell(ready);
  for (const domain::Execution& gone : applied.gone) result_waiters_.closed(gone.spec.tenant, gone.spec.id, &gone);
  std::set<domain::ExecutionId> taken;
  if (some_taken) taken = taken_at_once(applied.changes);
  for (const Change& change : applied.changes) {
    tell(change, change.is_ready && !taken.contains(change.id));
  }
  events_.append(applied.now, applied.changes);
}

void Engine::stop_waiting() {
  stopping_ = true;
  events_.close();
  postponed_.release_all();
  result_waiters_.release_all();
  ready_waiters_.release_all();
}

Result<std::string> Engine::metrics_text(const domain::Principal& principal) {
  if (!principal.is_operator()) {
    return refuse(ErrorCode::forbidden,
                  "metrics name all tenants: they need the permission admin in the tenant default");
  }
  std::optional<DedupCache::Counts> cache;
  if (options_.dedup_cache != nullptr) cache = options_.dedup_cache->counts();
  return metrics_.text(commits_.waiting(), *depths_.read(), store_.dispatch_depths(), cache);
}

void Engine::check_ready() { store_.next_timer(); }

Error overloaded() {
  return {ErrorCode::unavailable,
          "too many changes are waiting to be written; nothing was changed, try again in a moment"};
}

Result<void> require(const domain::Principal& principal, domain::Permission permission) {
  if (principal.may(permission)) return {};
  return refuse(ErrorCode::forbidden, "this needs the permission {}", domain::name_of(permission));
}

}  // namespace semel::engine
