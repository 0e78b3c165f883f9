#include "engine/engine.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace semel::engine {
namespace {

std::vector<std::pair<std::string, domain::Template>> read_templates(Store& store, const EngineOptions& options) {
  std::vector<std::pair<std::string, domain::Template>> templates;
  for (StoredTemplate& stored : store.templates()) {
    Result<domain::Template> read = options.read_template(stored.document);
    if (!read) {
      throw StoreFault(fmt::format("the stored template {}/{} cannot be read: {}", stored.namespace_, stored.name,
                                   read.error().message));
    }
    read->revision = stored.revision;
    read->document = std::move(stored.document);
    templates.emplace_back(std::move(stored.tenant), *std::move(read));
  }
  return templates;
}

}  // namespace

Engine::Engine(Store& store, EngineOptions options)
    : store_(store),
      options_(std::move(options)),
      ids_(options_.random),
      templates_(read_templates(store, options_)),
      keys_(store.api_keys()),
      result_waiters_(timers_),
      ready_waiters_(timers_),
      events_(static_cast<std::uint32_t>(options_.random()), options_.events_kept),
      commits_(
          store, options_.commits, metrics_, [this] { return duplicates_to_flush(); },
          [this](const Applied& applied) { on_applied(applied); }),
      maintenance_("maintenance", [this] { return maintenance_pass(); }) {}

// The last commits still wake waiters and the maintenance, so all of these must be there until the queue is closed.
Engine::~Engine() {
  stop_waiting();
  maintenance_.stop();
  while (std::optional<CommitQueue::Entry> flush = duplicates_to_flush()) {
    if (!commits_.push(std::move(flush->command), std::move(flush->done))) break;
  }
  commits_.close();
  stop_waiting();
  timers_.stop();  // a time-out that has begun still looks at the waiters
}

/// Whoever waits or follows learns what changed, from the one list of all changes.
void Engine::on_applied(const Applied& applied) {
  for (const Change& change : applied.changes) {
    if (domain::is_closed(change.state)) result_waiters_.closed(change.tenant, change.id);
    if (change.is_ready) ready_waiters_.ready(change.tenant, change.queue, change.handler);
    if (change.timer) expect_timer(*change.timer);
  }
  events_.append(applied.now, applied.changes);
}

void Engine::stop_waiting() {
  stopping_ = true;
  events_.close();
  result_waiters_.release_all();
  ready_waiters_.release_all();
}

Result<std::string> Engine::metrics_text(const domain::Principal& principal) {
  if (!principal.is_operator()) {
    return refuse(ErrorCode::forbidden,
                  "metrics name all tenants: they need the permission admin in the tenant default");
  }
  return metrics_.text(commits_.waiting(), store_.queue_depths());
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
