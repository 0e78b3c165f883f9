#pragma once
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "domain/template.hpp"

namespace semel::engine {

/// All templates in memory, so that a submission never waits for one. Callable from any thread.
class TemplateRegistry {
 public:
  using Shared = std::shared_ptr<const domain::Template>;

  TemplateRegistry() = default;
  /// With what was stored before: tenant and template.
  explicit TemplateRegistry(std::vector<std::pair<std::string, domain::Template>> stored);

  /// All there are, instead of those before.
  void replace(std::vector<std::pair<std::string, domain::Template>> stored);
  void put(const std::string& tenant, domain::Template template_);
  /// An empty version removes all.
  void remove(const std::string& tenant, const std::string& namespace_, const std::string& name,
              const std::string& version);

  /// Without a version, the newest: the highest by semver. Null when there is none.
  Shared find(const std::string& tenant, const std::string& namespace_, const std::string& name,
              const std::optional<std::string>& version) const;
  /// All of a tenant, by namespace and name, newest version first.
  std::vector<Shared> all(const std::string& tenant) const;
  /// Newest version first.
  std::vector<Shared> versions(const std::string& tenant, const std::string& namespace_, const std::string& name) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  mutable std::shared_mutex mutex_;               // guards templates_
  std::map<Key, std::vector<Shared>> templates_;  // newest version first
};

}  // namespace semel::engine
