#include "dispatch/lane.hpp"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <thread>

#include "base/url.hpp"
#include "dispatch/access_tokens.hpp"
#include "dispatch/answer.hpp"
#include "dispatch/cloud_task.hpp"
#include "dispatch/pool.hpp"
#include "domain/dispatch_target.hpp"

namespace semel::dispatch {

namespace asio = boost::asio;

namespace {

/// Of a path that others are put after: "/" and "/base/" would ask for "//v2/…".
std::string_view without_last_slash(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

/// All of it belongs to the thread, but the loop.
class Lane::Inner {
 public:
  explicit Inner(std::shared_ptr<const Shared> shared)
      : shared_(std::move(shared)), tls_(http_client::make_tls(limits().ca_file)), sweep_timer_(loop_) {
    if (shared_->account) make_tokens();
    sweep();
    thread_ = std::thread([this] { loop_.run(); });
  }

  void hand_on(DispatchOrder order, Done done) {
    asio::post(loop_, [this, order = std::move(order), done = std::move(done)] { send(order, done); });
  }

  void stop() {
    asio::post(loop_, [this] {
      for (const auto& [name, pool] : pools_) pool->close();
      // Those who waited for a token have been told, and nobody is left; a name that is being asked for is not waited
      // for.
      loop_.stop();
    });
    thread_.join();
  }

 private:
  const SendLimits& limits() const { return shared_->options.limits; }
  const CloudTasksOptions& cloud() const { return shared_->options.cloud_tasks; }

  void make_tokens() {
    const std::string token_url = cloud().token_url.empty() ? shared_->account->token_url() : cloud().token_url;
    const HttpUrl url = parse_http_url(token_url).value();
    const auto fetch = [this, url](http_client::Call call, Pool::Done done) {
      limit(call, {});
      pool_of(url, Guard::none).send(std::move(call), std::move(done));
    };
    tokens_.emplace(*shared_->account, token_url, shared_->options.now, fetch);
  }

  void send(const DispatchOrder& order, const Done& done) {
    const Result<domain::DispatchTarget> target = domain::parse_dispatch_target(order.target);
    if (!target) return done(SendRefused{0, target.error().message, {}});
    if (const auto* const http = std::get_if<domain::HttpTarget>(&*target)) return push(order, *http, done);
    ask_for_task(order, std::get<domain::CloudTasksTarget>(*target), done);
  }

  void push(const DispatchOrder& order, const domain::HttpTarget& target, const Done& done) {
    PushRequest request = push_request(order, shared_->signer, shared_->options.now());
    http_client::Call call;
    call.method = "POST";
    call.target = target.url.target;
    call.headers = std::move(request.headers);
    call.body = std::move(request.body);
    limit(call, order.answer_time);
    pool_of(target.url, Guard::addresses).send(std::move(call), [done](const http_client::Outcome& outcome) {
      done(answer_of_endpoint(outcome));
    });
  }

  void ask_for_task(const DispatchOrder& order, const domain::CloudTasksTarget& target, const Done& done) {
    CloudTask task{target.queue, order.ids.external, target.deliver_to.value_or(cloud().deliver_to), {}};
    if (!tokens_) return done(SendRefused{0, "this server has no credentials for Cloud Tasks", {}});
    if (!cloud().allows(task.queue))
      return done(SendRefused{0, "tasks may not be put into that queue: see cloud_tasks.allowed_queues", {}});
    if (task.deliver_to.empty())
      return done(SendRefused{0, "the target does not say where tasks are delivered to", {}});
    if (!domain::is_cloud_task_id(task.id))
      return done(SendRefused{0, fmt::format("'{}' cannot be the name of a task there", excerpt(task.id)), {}});
    const Time now = shared_->options.now();
    if (order.due > now) task.schedule_time = order.due;
    PushRequest request = push_request(order, shared_->signer, std::max(order.due, now));
    tokens_->get([this, task = std::move(task), request = std::move(request), time = order.answer_time,
                  done](const AccessTokens::Token& token) {
      if (!token) return done(SendLater{{}, 0, token.error()});
      create(create_task(task, request, *token), time, *token, done);
    });
  }

  void create(http_client::Call call, std::optional<Duration> answer_time, const std::string& token, const Done& done) {
    const HttpUrl api = parse_http_url(cloud().api_url).value();
    call.target.insert(0, without_last_slash(api.target));
    limit(call, answer_time);
    pool_of(api, Guard::none).send(std::move(call), [this, token, done](const http_client::Outcome& outcome) {
      if (outcome && outcome->status == 401) tokens_->forget(token);
      done(answer_of_cloud_tasks(outcome));
    });
  }

  void limit(http_client::Call& call, std::optional<Duration> answer_time) const {
    call.send_time = limits().send_time;
    call.head_time = answer_time.value_or(limits().answer_time);
    call.body_time = limits().body_time;
  }

  /// Whether others say where it goes, or the operator of this server.
  enum class Guard : std::uint8_t { addresses, none };

  Pool& pool_of(const HttpUrl& url, Guard guard) {
    const std::string name =
        fmt::format("{}{}://{}", guard == Guard::none ? "own " : "", url.scheme(), url.authority());
    std::unique_ptr<Pool>& pool = pools_[name];
    if (!pool)
      pool = std::make_unique<Pool>(loop_, peer_of(url, guard),
                                    Pool::Limits{limits().connections_max, limits().wait_time});
    return *pool;
  }

  std::shared_ptr<http_client::Peer> peer_of(const HttpUrl& url, Guard guard) const {
    auto peer = std::make_shared<http_client::Peer>();
    peer->url = url;
    peer->tls = tls_;
    peer->options.user_agent = "semel";
    peer->options.connect_time = limits().connect_time;
    peer->options.answer_bytes_max = limits().answer_bytes_max;
    if (guard == Guard::addresses)
      peer->options.may_connect = [shared = shared_](const IpAddress& address) {
        return may_call(address, shared->options.limits.allowed_networks);
      };
    return peer;
  }

  /// Closes what nobody needs, so that neither connections nor hosts pile up, and tells those who wait in vain.
  void sweep() {
    const auto since = std::chrono::steady_clock::now() - limits().idle_time;
    for (const auto& [name, pool] : pools_) {
      pool->close_idle(since);
      pool->give_up_waiting();
    }
    std::erase_if(pools_, [](const auto& named) { return named.second->is_empty(); });
    sweep_timer_.expires_after(limits().idle_time / 2 + 1ms);
    sweep_timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) sweep();
    });
  }

  const std::shared_ptr<const Shared> shared_;
  asio::io_context loop_{1};
  const asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
  const std::shared_ptr<http_client::Tls> tls_;
  asio::steady_timer sweep_timer_;
  std::optional<AccessTokens> tokens_;
  std::map<std::string, std::unique_ptr<Pool>> pools_;  // by scheme, host and port
  std::thread thread_;                                  // last: all of the above is its own
};

Lane::Lane(std::shared_ptr<const Shared> shared) : inner_(std::make_unique<Inner>(std::move(shared))) {}

Lane::~Lane() { close(); }

void Lane::send(DispatchOrder order, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_closed_) return inner_->hand_on(std::move(order), std::move(done));
  }
  done(SendLater{{}, 0, "this server is stopping"});
}

void Lane::close() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
  }
  inner_->stop();
}

}  // namespace semel::dispatch
