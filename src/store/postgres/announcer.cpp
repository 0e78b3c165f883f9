#include "store/postgres/announcer.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "store/postgres/news_text.hpp"

namespace semel::store::postgres {
namespace {

constexpr std::size_t changes_max = 100'000;  // that wait; beyond, others are told to look for themselves
constexpr Duration announcing_pause_max = 5s;
constexpr Duration announced_every = 5ms;  // at most

template <typename... Kinds>
bool is_any(const Command& command) {
  return (std::holds_alternative<Kinds>(command) || ...);
}

bool is_empty(const News& news) {
  return news.changes.empty() && news.ready.empty() && !news.templates_changed && !news.queues_changed &&
         !news.keys_changed && !news.schedules_changed && !news.something_was_missed;
}

}  // namespace

Announcer::Announcer(std::string target, std::string server)
    : target_(std::move(target)), server_(std::move(server)), loop_("announce", [this] { return send(); }) {}

void Announcer::tell(std::span<const Command> commands, const Applied& applied) {
  {
    const std::lock_guard lock(mutex_);
    for (const Command& command : commands) {
      news_.templates_changed = news_.templates_changed || is_any<PutTemplate, RemoveTemplate>(command);
      news_.queues_changed = news_.queues_changed || is_any<PutQueue, PauseQueue, SetQueueDefaults>(command);
      news_.keys_changed = news_.keys_changed || is_any<CreateKey, RevokeKey>(command);
      news_.schedules_changed = news_.schedules_changed || is_any<PutSchedule, PauseSchedule>(command);
    }
    news_.now = std::max(news_.now, applied.now);
    news_.changes.insert(news_.changes.end(), applied.changes.begin(), applied.changes.end());
    news_.ready.insert(news_.ready.end(), applied.ready.begin(), applied.ready.end());
    if (news_.changes.size() > changes_max || news_.ready.size() > changes_max) {
      news_.changes.clear();
      news_.ready.clear();
      news_.something_was_missed = true;
    }
    if (is_empty(news_) || !std::exchange(rests_, false)) return;
  }
  loop_.wake();
}

Duration Announcer::send() {
  News news;
  {
    const std::lock_guard lock(mutex_);
    news = std::exchange(news_, {});
    rests_ = is_empty(news);
    if (rests_) return Loop::until_woken;
  }
  try {
    send(news);
    pause_ = Duration{0};
    return announced_every;
  } catch (const StoreFault& fault) {
    lose(fault.what());
    pause_ = std::clamp<Duration>(pause_ * 2, 100ms, announcing_pause_max);
    return pause_;
  }
}

void Announcer::send(const News& news) {
  if (!connection_ || connection_->is_broken()) connection_ = std::make_unique<Connection>(target_);
  for (const std::string& text : encode_news(server_, news)) {
    connection_->run("SELECT pg_notify($1, $2)", std::string_view(news_channel), text);
  }
}

/// The next that can be sent says that something is missing.
void Announcer::lose(const std::string& why) {
  log::warn("other servers could not be told what has changed, trying again soon: {}", why);
  const std::lock_guard lock(mutex_);
  news_.something_was_missed = true;
}

}  // namespace semel::store::postgres
