#include "engine/worker_registry.hpp"

namespace semel::engine {

std::shared_ptr<void> WorkerRegistry::asks(const std::string& tenant, Asking asking, Time now) {
  const Name name(tenant, asking.worker);
  {
    const std::lock_guard lock(workers_->mutex);
    const bool is_known = workers_->seen.contains(name);
    if (!is_known && workers_->seen.size() >= workers_max) workers_->forget_old(now);
    if (!is_known && workers_->seen.size() >= workers_max) return nullptr;
    Seen& seen = workers_->seen[name];
    seen.asking = std::move(asking);
    seen.asked_at = now;
    seen.waiting += 1;
  }
  return {nullptr, [workers = workers_, name](std::nullptr_t) {
            const std::lock_guard lock(workers->mutex);
            workers->seen[name].waiting -= 1;  // it is there: whoever waits is not forgotten
          }};
}

std::vector<WorkerRegistry::Seen> WorkerRegistry::list(const std::string& tenant, Time now) {
  const std::lock_guard lock(workers_->mutex);
  workers_->forget_old(now);
  std::vector<Seen> list;
  const auto& seen = workers_->seen;
  for (auto each = seen.lower_bound({tenant, ""}); each != seen.end() && each->first.first == tenant; ++each)
    list.push_back(each->second);
  return list;
}

void WorkerRegistry::Workers::forget_old(Time now) {
  std::erase_if(seen, [now](const auto& each) {
    return each.second.waiting == 0 && each.second.asked_at + remembered_for < now;
  });
}

}  // namespace semel::engine
