#include "bench/push_target.hpp"

#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <utility>

#include "api/http/transport/server.hpp"

namespace semel::bench {
namespace {

class DoneAtOnce final : public http::Handler {
 public:
  void handle(http::Request, http::Respond respond) override {
    if (requests_.fetch_add(1) + 1 >= awaited_.load()) {
      const std::lock_guard lock(mutex_);
      came_.notify_all();
    }
    http::Response response;
    response.body = R"({"ok":true})";
    respond(std::move(response));
  }

  std::size_t body_bytes_max(std::string_view, std::string_view) const override { return 2 << 20; }

  std::uint64_t requests() const { return requests_.load(); }

  void wait_for(std::uint64_t count, std::chrono::steady_clock::time_point until) {
    awaited_.store(count);  // before it is looked at how many there are: one of both sides sees the other
    std::unique_lock lock(mutex_);
    came_.wait_until(lock, until, [&] { return requests() >= count; });
    awaited_.store(nobody);
  }

 private:
  static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> awaited_{nobody};
  std::mutex mutex_;  // of came_
  std::condition_variable came_;
};

http::ServerOptions on_any_port() {
  http::ServerOptions options;
  options.port = 0;
  options.threads = 1;
  return options;
}

}  // namespace

class PushTarget::Inner {
 public:
  Inner() { server.start(); }

  DoneAtOnce handler;
  http::Server server{on_any_port(), handler};
};

PushTarget::PushTarget() : inner_(std::make_unique<Inner>()) {}
PushTarget::~PushTarget() = default;

std::string PushTarget::url() const { return "http://" + inner_->server.address() + "/run"; }

std::uint64_t PushTarget::requests() const { return inner_->handler.requests(); }

void PushTarget::wait_for(std::uint64_t count, std::chrono::steady_clock::time_point until) const {
  inner_->handler.wait_for(count, until);
}

}  // namespace semel::bench
