
#include "domain/names.hpp"
#include "engine/engine.hpp"

namespace semel::engine {

QueueView Engine::view_of(const std::string& tenant, const std::string& queue, const QueueDepth& depth) const {
  return {queue, queues_.options(tenant, queue), queues_.settings(tenant, queue), depth};
}

QueueView Engine::counted_view_of(const std::string& tenant, const std::string& queue, const QueueDepth& depth) {
  QueueView view = view_of(tenant, queue, depth);
  view.rates = metrics_.queue_rates().read(tenant, queue, store_.now());
  if (view.rates && !view.rates->since) view.rates->since = begun_;
  return view;
}

/// What was put is in force, and workers that wait may have more to do now.
void Engine::queue_stored(const std::string& tenant, const std::string& queue, const domain::QueueOptions& options) {
  queues_.put(tenant, queue, options);
  ready_waiters_.ready(tenant, queue, std::nullopt);
  if (dispatcher_) dispatcher_->see(tenant, queue);
}

/// Whether tasks can be pushed there from here.
Result<void> Engine::check_target(const std::optional<std::string>& target) const {
  if (!target || target->empty()) return {};
  if (options_.dispatch.targets == nullptr) return bad_request("this server pushes nothing: it cannot have a target");
  return options_.dispatch.targets->check(*target);
}

void Engine::put_queue(const domain::Principal& principal, const std::string& queue, domain::QueueOptions options,
                       Answer<Result<QueueView>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed)
    return answer(pass_on(allowed.error()));
  if (Result<void> fits = check_target(options.target); !fits) return answer(pass_on(fits.error()));
  store_queue(PutQueue{principal.tenant, queue, std::move(options), principal.key_id}, principal.tenant, queue,
              std::move(answer));
}

void Engine::pause_queue(const domain::Principal& principal, const std::string& queue, bool paused,
                         Answer<Result<QueueView>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed)
    return answer(pass_on(allowed.error()));
  store_queue(PauseQueue{principal.tenant, queue, paused, principal.key_id}, principal.tenant, queue,
              std::move(answer));
}

void Engine::store_queue(Command command, const std::string& tenant, const std::string& queue,
                         Answer<Result<QueueView>> answer) {
  if (Result<void> fits = domain::check_name("queue", queue); !fits) return answer(pass_on(fits.error()));
  commit<QueueStored>(std::move(command),
                      [this, tenant, queue, answer = std::move(answer)](const Result<QueueStored>& stored) {
                        if (!stored) return answer(pass_on(stored.error()));
                        queue_stored(tenant, queue, stored->options);
                        answer(view_of(tenant, queue, {}));
                      });
}

Result<std::vector<QueueView>> Engine::queues(const domain::Principal& principal) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  std::map<std::string, QueueDepth> depths;
  for (const std::string& name : queues_.names(principal.tenant)) depths[name];
  for (const std::string& name : metrics_.queue_rates().names(principal.tenant, store_.now())) depths[name];
  const DepthCount::Depths counted = depths_.read();
  for (const QueueDepth& depth : *counted) {
    if (depth.tenant == principal.tenant) depths[depth.queue] = depth;
  }
  std::vector<QueueView> views;
  for (const auto& [name, depth] : depths) views.push_back(counted_view_of(principal.tenant, name, depth));
  return views;
}

Result<QueueView> Engine::queue(const domain::Principal& principal, const std::string& queue) {
  if (Result<void> fits = domain::check_name("queue", queue); !fits) return pass_on(fits.error());
  const Result<std::vector<QueueView>> views = queues(principal);
  if (!views) return pass_on(views.error());
  for (const QueueView& view : *views) {
    if (view.name == queue) return view;
  }
  return counted_view_of(principal.tenant, queue, {});  // nothing is in it, and nothing was said about it
}

}  // namespace semel::engine
