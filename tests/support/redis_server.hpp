#pragma once
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {

/// A Redis server of its own for a test: in a temporary folder, on a free loopback port, with nothing on the disk.
/// Started by the constructor, which throws std::runtime_error; killed with this object, and with the test.
class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> settings = {});

  int port() const { return port_; }
  /// redis://127.0.0.1:PORT
  std::string url() const;

  /// Kills it; what it held is gone.
  void kill();
  /// After that: empty, on the same port.
  void start_again();
  /// From now on it accepts connections and requests, and answers none.
  void freeze() { process_->signal(SIGSTOP); }
  void thaw() { process_->signal(SIGCONT); }

  /// What it answers to a command, by a connection of its own: a text, lines for a list, nothing for nil.
  std::optional<std::string> ask(const std::vector<std::string>& words) const;
  /// All keys, in no order.
  std::vector<std::string> keys() const;

 private:
  bool try_to_start();

  const std::vector<std::string> settings_;
  const TempDir folder_;
  int port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace semel::test
