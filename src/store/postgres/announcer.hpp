#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/loop.hpp"
#include "ports/news.hpp"
#include "ports/store.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// The channel on which servers tell each other their news.
inline constexpr char news_channel[] = "semel_news";

/// Tells the other servers what this one has committed: after the commit, on a connection of its own, and all that has
/// come together while the last was on its way, or shortly after it: the first is told at once, and when much happens,
/// telling it does not take the database's time from what happens. NOTIFY inside of the commits would let them wait for
/// each other.
class Announcer {
 public:
  Announcer(std::string target, std::string server);
  /// Tells what is left.
  ~Announcer() { loop_.wake(); }
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  /// What these commands came to. Callable from any thread; never waits.
  void tell(std::span<const Command> commands, const Applied& applied);

 private:
  Duration send();
  void send(const News& news);
  void lose(const std::string& why);

  const std::string target_;
  const std::string server_;
  std::mutex mutex_;                        // guards the next two
  News news_{};                             // not sent yet
  bool rests_ = false;                      // the loop waits until it is woken
  std::unique_ptr<Connection> connection_;  // the loop's, as is the next
  Duration pause_{0};
  Loop loop_;  // last: uses all of the above
};

}  // namespace semel::store::postgres
