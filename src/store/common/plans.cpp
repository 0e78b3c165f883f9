#include "store/common/plans.hpp"

#include "base/error.hpp"
#include "domain/workflow/steps_text.hpp"

namespace semel::store {

Plans::Shared read_plan(const std::string& document) {
  std::optional<std::vector<domain::Step>> steps = domain::decode_steps(document);
  if (!steps) throw StoreFault("the plan of a run cannot be read: it was written by a newer semel, or is damaged");
  return std::make_shared<const domain::Graph>(*std::move(steps));
}

Plans::Shared Plans::get(const Hash32& hash, const std::function<std::string()>& read) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(hash); known != known_.end()) return known->second;
  }
  Shared graph = read_plan(read());
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kept_max) known_.clear();
  return known_.try_emplace(hash, std::move(graph)).first->second;
}

}  // namespace semel::store
