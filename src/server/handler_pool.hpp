#pragma once
#include "api/http/transport/message.hpp"
#include "server/work_pool.hpp"

namespace semel::server {

/// Keeps what may wait for a database away from the threads that serve connections: such requests are handled by
/// a pool, which has as many threads as the database has connections for, and the others on the spot. Who comes when
/// too many wait is told to come back.
class HandlerPool final : public http::Handler {
 public:
  HandlerPool(http::Handler& handler, WorkPool& pool) : handler_(handler), pool_(pool) {}

  void handle(http::Request request, http::Respond respond) override;
  std::size_t body_bytes_max(std::string_view method, std::string_view path) const override {
    return handler_.body_bytes_max(method, path);
  }

 private:
  http::Handler& handler_;
  WorkPool& pool_;
};

}  // namespace semel::server
