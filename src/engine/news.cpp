#include "base/log.hpp"
#include "engine/engine.hpp"

/// What other servers on the same store have done: whoever waits here learns of it, and what is kept in memory is read
/// anew.
namespace semel::engine {
namespace {

constexpr std::size_t results_a_look = 500;
constexpr std::uint64_t looks_a_reading_of_templates =
    12;  // they may be many, and names that are unknown are asked for

}  // namespace

/// Runs on the store's own thread.
void Engine::on_news(const News& news) {
  for (const Ready& ready : news.ready) tell(ready);
  for (const Change& change : news.changes) tell(change, change.is_ready);
  if (!news.changes.empty()) {
    events_.append(news.now, news.changes);
    metrics_.changed(news.now, news.changes);
  }
  if (news.schedules_changed) expect_timer(news.now);
  if (news.leads_now) maintenance_.wake();
  const bool all = news.something_was_missed;
  if (all) events_.forget();
  read_settings(news.templates_changed || all, news.queues_changed || all, news.keys_changed || all);
  if (all) look_again();
  if (settings_are_stale_) maintenance_.wake();  // it tries again, every second
}

/// Tells whoever waits for the change. Where the task may be had, a worker is woken.
void Engine::tell(const Change& change, bool may_be_had) {
  const bool has_ended = change.attempt > 0 && change.state != domain::State::running;
  if (has_ended) turns_.ended(change.tenant, change.queue);
  if (domain::is_closed(change.state)) result_waiters_.closed(change.tenant, change.id);
  if (may_be_had && dispatcher_) dispatcher_->see(change.tenant, change.queue);
  if (may_be_had) ready_waiters_.ready(change.tenant, change.queue, change.handler);
  if (change.timer) expect_timer(*change.timer);
}

/// A task may be had, of whose queue nothing may have been heard before.
void Engine::tell(const Ready& ready) {
  if (dispatcher_) dispatcher_->see(ready.tenant, ready.queue);
  ready_waiters_.ready(ready.tenant, ready.queue, ready.handler);
}

/// One thread at a time: what was read last is never older than what was read before it.
void Engine::read_settings(bool templates, bool queues, bool keys) {
  const std::lock_guard lock(reading_settings_);
  try {
    if (templates) templates_.replace(read_all(store_.templates(), options_));
    if (queues && queues_.replace(store_.queues()) && dispatcher_) dispatcher_->look_again();
    if (keys) keys_.replace(store_.api_keys());
  } catch (const StoreFault& fault) {
    log::warn("what other servers have changed cannot be read, trying again soon: {}", fault.what());
    settings_are_stale_ = true;
  }
}

/// Throws StoreFault.
void Engine::read_template_anew(const std::string& tenant, const std::string& namespace_, const std::string& name) {
  const std::lock_guard lock(reading_settings_);
  for (auto& [owner, template_] : read_all(store_.template_versions(tenant, namespace_, name), options_)) {
    templates_.put(owner, std::move(template_));
  }
}

/// The net below the news: a server that dies between its commit and its news tells nobody.
void Engine::look_again() {
  next_look_ms_ = to_ms(store_.now() + options_.looked_again_after);
  const bool are_stale = settings_are_stale_.exchange(false);
  const bool is_time = looks_++ % looks_a_reading_of_templates == 0;
  read_settings(are_stale || is_time, true, true);
  ready_waiters_.wake_all();
  try {
    for (const auto& [tenant, id] : result_waiters_.awaited(results_a_look)) {
      const std::optional<domain::Execution> execution = store_.find(tenant, id);
      if (!execution || domain::is_closed(execution->state)) result_waiters_.closed(tenant, id);
    }
  } catch (const StoreFault& fault) {
    log::warn("results that are waited for cannot be read, trying again soon: {}", fault.what());
  }
}

}  // namespace semel::engine
