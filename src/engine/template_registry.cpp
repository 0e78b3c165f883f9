#include "engine/template_registry.hpp"

#include <algorithm>
#include <mutex>

namespace semel::engine {

TemplateRegistry::TemplateRegistry(std::vector<std::pair<std::string, domain::Template>> stored) {
  for (auto& [tenant, template_] : stored) put(tenant, std::move(template_));
}

void TemplateRegistry::replace(std::vector<std::pair<std::string, domain::Template>> stored) {
  TemplateRegistry fresh(std::move(stored));
  const std::unique_lock lock(mutex_);
  templates_ = std::move(fresh.templates_);
}

void TemplateRegistry::put(const std::string& tenant, domain::Template template_) {
  const Key key{tenant, template_.namespace_, template_.name};
  auto shared = std::make_shared<const domain::Template>(std::move(template_));
  const std::unique_lock lock(mutex_);
  std::vector<Shared>& versions = templates_[key];
  const auto place = std::find_if(versions.begin(), versions.end(), [&](const Shared& each) {
    return domain::compare_versions(each->version, shared->version) <= 0;
  });
  if (place == versions.end() || (*place)->version != shared->version) {
    versions.insert(place, std::move(shared));
  } else if ((*place)->revision <= shared->revision) {  // two PUTs may be told in the other order
    *place = std::move(shared);
  }
}

void TemplateRegistry::remove(const std::string& tenant, const std::string& namespace_, const std::string& name,
                              const std::string& version) {
  const std::unique_lock lock(mutex_);
  const auto found = templates_.find({tenant, namespace_, name});
  if (found == templates_.end()) return;
  std::erase_if(found->second, [&](const Shared& each) { return version.empty() || each->version == version; });
  if (found->second.empty()) templates_.erase(found);
}

TemplateRegistry::Shared TemplateRegistry::find(const std::string& tenant, const std::string& namespace_,
                                                const std::string& name,
                                                const std::optional<std::string>& version) const {
  const std::shared_lock lock(mutex_);
  const auto found = templates_.find({tenant, namespace_, name});
  if (found == templates_.end()) return nullptr;
  for (const Shared& each : found->second) {
    if (!version || each->version == *version) return each;
  }
  return nullptr;
}

std::vector<TemplateRegistry::Shared> TemplateRegistry::all(const std::string& tenant) const {
  std::vector<Shared> found;
  const std::shared_lock lock(mutex_);
  for (auto each = templates_.lower_bound({tenant, "", ""});
       each != templates_.end() && std::get<0>(each->first) == tenant; ++each) {
    found.insert(found.end(), each->second.begin(), each->second.end());
  }
  return found;
}

std::vector<TemplateRegistry::Shared> TemplateRegistry::versions(const std::string& tenant,
                                                                 const std::string& namespace_,
                                                                 const std::string& name) const {
  const std::shared_lock lock(mutex_);
  const auto found = templates_.find({tenant, namespace_, name});
  return found == templates_.end() ? std::vector<Shared>{} : found->second;
}

}  // namespace semel::engine
