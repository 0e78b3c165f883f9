#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/loop.hpp"
#include "ports/news.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// The advisory lock of the one server that leads.
inline constexpr std::int64_t leader_lock = 0x53656D656C01;  // "Semel", 1

/// How the connection of a server that listens is called, for people and for doctors.
inline constexpr std::string_view listening_pattern = "% (listening)";

/// Hears what other servers tell, on a connection of its own, and holds the lock that makes one of them the leader.
/// When the connection breaks, so does the leadership, and whoever waits here is told to look for himself once it is
/// back.
class Listener {
 public:
  using Heard = std::function<void(const News&)>;

  /// `heard` runs on a thread of its own; `leads` says whether this server is the leader.
  Listener(std::string target, std::string server, std::atomic<bool>& leads, Heard heard);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  Duration listen();
  void connect();
  void wait();
  void read();
  void try_to_lead();

  const std::string target_;
  const std::string server_;
  const Heard heard_;
  const int stop_event_;  // a descriptor that becomes readable when it is time to stop
  std::atomic<bool>& leads_;
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<Connection> connection_;              // the loop's, as is the next
  std::chrono::steady_clock::time_point asks_again_{};  // for the lead
  Duration pause_{0};
  Loop loop_;  // last: uses all of the above
};

}  // namespace semel::store::postgres
