#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "api/http/transport/message.hpp"

namespace semel::server {

/// Keeps what may wait for a database away from the threads that serve connections: such requests are handled by
/// threads of its own, as many as the database has connections for, and the others on the spot. Who comes when too many
/// wait is told to come back.
class HandlerPool final : public http::Handler {
 public:
  HandlerPool(http::Handler& handler, int threads);
  ~HandlerPool() override;

  void handle(http::Request request, http::Respond respond) override;
  std::size_t body_bytes_max(std::string_view method, std::string_view path) const override {
    return handler_.body_bytes_max(method, path);
  }

 private:
  struct Job {
    http::Request request;
    http::Respond respond;
  };

  void work(const std::stop_token& stop);

  http::Handler& handler_;
  std::mutex mutex_;  // guards waiting_
  std::condition_variable_any some_wait_;
  std::deque<Job> waiting_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace semel::server
