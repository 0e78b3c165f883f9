#pragma once
#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "http_client/connection.hpp"

namespace semel::dispatch {

/// The connections to one server: kept alive, and never more than so many; calls beyond that wait in order, but only
/// for a time: what was not begun by then is not begun at all, since others may take it over. For the thread of its
/// loop.
class Pool {
 public:
  using Done = http_client::Connection::Done;
  using Moment = std::chrono::steady_clock::time_point;

  struct Limits {
    std::size_t connections_max = 64;
    Duration wait_time{};  // for one of them
  };

  Pool(boost::asio::io_context& loop, std::shared_ptr<const http_client::Peer> peer, Limits limits);
  ~Pool();

  void send(http_client::Call call, Done done);

  /// Closes what nobody has used since then.
  void close_idle(Moment since);
  /// Tells those who have waited too long.
  void give_up_waiting();
  /// Whether nothing is open and nothing waits.
  bool is_empty() const { return idle_.empty() && busy_.empty() && waiting_.empty(); }

  /// Hangs up, and tells everybody that the server stops.
  void close();

 private:
  struct Slot {
    std::unique_ptr<http_client::Connection> connection;
    Done done{};  // of the call under way
    Moment used_at{};
  };
  struct Waiting {
    http_client::Call call;
    Done done;
    Moment until{};
  };

  std::vector<Done> take_late();
  void start(std::unique_ptr<Slot> slot, http_client::Call call, Done done);
  void ended(Slot& slot, http_client::Outcome outcome);

  boost::asio::io_context& loop_;
  const std::shared_ptr<const http_client::Peer> peer_;
  const Limits limits_;
  std::vector<std::unique_ptr<Slot>> idle_;  // the last was used last
  std::vector<std::unique_ptr<Slot>> busy_;
  std::deque<Waiting> waiting_;
};

}  // namespace semel::dispatch
