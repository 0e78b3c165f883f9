#pragma once
#include <optional>
#include <string>

#include "ports/clock.hpp"
#include "semel/connect.hpp"
#include "server/instance.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/test_keys.hpp"

namespace semel::test {

/// A server in this process, by the machine's clock unless it is given another, which can go and come back under the
/// same address.
class LiveServer {
 public:
  LiveServer() : LiveServer(machine_clock()) {}
  explicit LiveServer(const Clock& clock) : clock_(clock) {
    options_.store.target.place = folder_ / "semel.db";
    options_.http.port = 0;
    options_.grpc.emplace();
    options_.grpc->port = 0;
    options_.retry.max_attempts = 1;
  }

  server::InstanceOptions& options() { return options_; }
  void start() {
    instance_.emplace(options_, clock_, keys_);
    address_ = instance_->grpc_address();
    options_.grpc->port = static_cast<std::uint16_t>(std::stoul(address_.substr(address_.rfind(':') + 1)));
  }
  void stop() { instance_.reset(); }
  void restart() {
    stop();
    start();
  }

  server::Instance& instance() { return *instance_; }
  const TestKeys& keys() const { return keys_; }
  /// The last one, when it does not run.
  const std::string& address() const { return address_; }
  Client client(const std::string& key = "admin") const { return connect(address_, ConnectOptions().api_key(key)); }

 private:
  static const Clock& machine_clock() {
    static const SystemClock clock;
    return clock;
  }

  const Clock& clock_;
  TestKeys keys_;
  TempDir folder_;
  server::InstanceOptions options_;
  std::string address_;
  std::optional<server::Instance> instance_;
};

}  // namespace semel::test
