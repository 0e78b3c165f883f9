#include "dispatch/targets.hpp"

#include <atomic>
#include <sstream>

#include "base/ensure.hpp"
#include "base/url.hpp"
#include "dispatch/lane.hpp"
#include "domain/dispatch_target.hpp"

namespace semel::dispatch {
namespace {

class Targets final : public DispatchTargets {
 public:
  explicit Targets(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {
    for (int i = 0; i < shared_->options.limits.threads; ++i) lanes_.push_back(std::make_unique<Lane>(shared_));
  }

  Result<void> check(std::string_view target) const override {
    const Result<domain::DispatchTarget> parsed = domain::parse_dispatch_target(target);
    if (!parsed) return pass_on(parsed.error());
    if (const auto* const http = std::get_if<domain::HttpTarget>(&*parsed)) return check_address(http->url);
    if (!shared_->account)
      return refuse(ErrorCode::failed_precondition,
                    "this server has no credentials for Cloud Tasks: see cloud_tasks.credentials_file");
    const auto& google = std::get<domain::CloudTasksTarget>(*parsed);
    if (!shared_->options.cloud_tasks.allows(google.queue))
      return bad_request("tasks may not be put into '{}': see cloud_tasks.allowed_queues", google.queue);
    if (!google.deliver_to && shared_->options.cloud_tasks.deliver_to.empty())
      return bad_request("the target must say where Google delivers tasks to: '{}?url=…'", target);
    return {};
  }

  void send(DispatchOrder order, Done done) override {
    lanes_[next_.fetch_add(1, std::memory_order_relaxed) % lanes_.size()]->send(std::move(order), std::move(done));
  }

  /// With Cloud Tasks, an access token may have to be asked for first.
  Duration overhead_max() const override {
    const SendLimits& limits = shared_->options.limits;
    const Duration request = overhead_of(limits);
    return shared_->account ? 2 * request + limits.answer_time : request;
  }

  void close() override {
    for (const std::unique_ptr<Lane>& lane : lanes_) lane->close();
  }

 private:
  /// Of a name, its addresses are looked at when it is connected to.
  Result<void> check_address(const HttpUrl& url) const {
    const std::optional<IpAddress> address = IpAddress::parse(url.host);
    if (!address || may_call(*address, shared_->options.limits.allowed_networks)) return {};
    return bad_request("target may not be at {}, which is {}: see dispatch.allowed_networks", url.host,
                       name_of(reach_of(*address)));
  }

  const std::shared_ptr<const Shared> shared_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::atomic<std::size_t> next_{0};
};

Result<void> check_own_url(std::string_view name, const std::string& url) {
  if (url.empty()) return {};
  if (const Result<HttpUrl> parsed = parse_http_url(url); !parsed)
    return bad_request("{}: {}", name, parsed.error().message);
  return {};
}

Result<void> check_cloud_tasks(const CloudTasksOptions& options) {
  if (Result<void> api = check_own_url("cloud_tasks.api_url", options.api_url); !api) return api;
  if (Result<void> token = check_own_url("cloud_tasks.token_url", options.token_url); !token) return token;
  return check_own_url("cloud_tasks.deliver_to", options.deliver_to);
}

}  // namespace

bool CloudTasksOptions::allows(std::string_view queue) const {
  if (allowed_queues.empty()) return true;
  std::istringstream beginnings(allowed_queues);
  std::string beginning;
  while (std::getline(beginnings >> std::ws, beginning, ',')) {
    beginning.erase(beginning.find_last_not_of(' ') + 1);
    if (!beginning.empty() && queue.starts_with(beginning)) return true;
  }
  return false;
}

Result<std::unique_ptr<DispatchTargets>> make_targets(Options options) {
  ensure(options.limits.threads > 0 && options.limits.connections_max > 0 && options.now);
  if (const Result<void> checked = check_cloud_tasks(options.cloud_tasks); !checked) return pass_on(checked.error());
  Result<Signer> signer = Signer::make(options.signing_secrets);
  if (!signer) return pass_on(signer.error());
  std::optional<ServiceAccount> account;
  if (!options.cloud_tasks.credentials.empty()) {
    Result<ServiceAccount> parsed = ServiceAccount::parse(options.cloud_tasks.credentials);
    if (!parsed) return pass_on(parsed.error());
    account = *std::move(parsed);
  }
  auto shared = std::make_shared<const Shared>(Shared{std::move(options), *std::move(signer), std::move(account)});
  return std::make_unique<Targets>(std::move(shared));
}

}  // namespace semel::dispatch
