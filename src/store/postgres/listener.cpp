#include "store/postgres/listener.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/log.hpp"
#include "store/postgres/announcer.hpp"
#include "store/postgres/news_text.hpp"

namespace semel::store::postgres {
namespace {

constexpr Duration asked_every = 1s;  // whether the leader has gone
constexpr Duration listening_pause_max = 5s;

int make_event() {
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) throw std::runtime_error("cannot make an event descriptor");
  return event;
}

}  // namespace

Listener::Listener(std::string target, std::string server, std::atomic<bool>& leads, Heard heard)
    : target_(std::move(target)),
      server_(std::move(server)),
      heard_(std::move(heard)),
      stop_event_(make_event()),
      leads_(leads),
      loop_("listen", [this] { return listen(); }) {}

Listener::~Listener() {
  stopping_ = true;
  ::eventfd_write(stop_event_, 1);
  loop_.stop();
  leads_ = false;
  ::close(stop_event_);
}

Duration Listener::listen() {
  try {
    if (!connection_) connect();
    while (!stopping_) {
      if (!leads_ && std::chrono::steady_clock::now() >= asks_again_) try_to_lead();
      wait();
      read();
    }
    return Loop::until_woken;
  } catch (const StoreFault& fault) {
    leads_ = false;
    connection_.reset();
    pause_ = std::clamp<Duration>(pause_ * 2, 100ms, listening_pause_max);
    if (!stopping_) log::warn("news of other servers cannot be heard, trying again soon: {}", fault.what());
    return pause_;
  }
}

void Listener::connect() {
  auto connection = std::make_unique<Connection>(target_);
  connection->execute(
      fmt::format("SELECT set_config('application_name', left(current_setting('application_name'), 40) ||"
                  " ' (listening)', false); LISTEN {}",
                  news_channel));
  connection_ = std::move(connection);
  asks_again_ = {};
  pause_ = Duration{0};
  News missed;  // what was told before this server listened
  missed.something_was_missed = true;
  heard_(missed);
}

/// Until there is something to read, it is time to ask for the lead, or to stop.
void Listener::wait() {
  std::array<pollfd, 2> both{pollfd{PQsocket(connection_->raw()), POLLIN, 0}, pollfd{stop_event_, POLLIN, 0}};
  ::poll(both.data(), both.size(), static_cast<int>(asked_every.count()));
}

void Listener::read() {
  if (PQconsumeInput(connection_->raw()) == 0) throw StoreFault(connection_->what_is_wrong());
  while (PGnotify* notify = PQnotifies(connection_->raw())) {
    const std::unique_ptr<PGnotify, decltype(&PQfreemem)> owner(notify, &PQfreemem);
    std::optional<ReceivedNews> received = decode_news(notify->extra);
    if (!received) {
      log::warn("a notification on {} is not ours and was passed over", news_channel);
      continue;
    }
    if (received->server == server_) {  // what was done here is known here
      received->news.changes.clear();
      received->news.ready.clear();
      received->news.something_was_missed = false;
    }
    heard_(received->news);
  }
}

/// The lock lasts as long as the connection: a server that dies gives it up.
void Listener::try_to_lead() {
  asks_again_ = std::chrono::steady_clock::now() + asked_every;  // however many news come meanwhile
  const Rows rows = connection_->run("SELECT pg_try_advisory_lock($1)", leader_lock);
  if (!rows[0].boolean(0)) return;
  leads_ = true;
  log::info("this server now does for all what one must do: ending leases, firing schedules, sweeping");
  News news;
  news.leads_now = true;
  heard_(news);
}

}  // namespace semel::store::postgres
