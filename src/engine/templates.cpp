#include "engine/engine.hpp"

namespace semel::engine {

void Engine::put_template(const domain::Principal& principal, domain::Template template_,
                          Answer<Result<StoredRevision>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed)
    return answer(pass_on(allowed.error()));
  const std::string tenant = principal.tenant;
  PutTemplate command{tenant, template_.namespace_, template_.name, template_.version, template_.document};
  commit<TemplateStored>(std::move(command), [this, tenant, template_ = std::move(template_),
                                              answer = std::move(answer)](Result<TemplateStored> stored) mutable {
    if (!stored) return answer(pass_on(stored.error()));
    template_.revision = stored->revision;
    templates_.put(tenant, template_);
    answer(StoredRevision{std::move(template_), stored->changed});
  });
}

void Engine::remove_template(const domain::Principal& principal, const RemoveTemplate& which,
                             Answer<Result<TemplateRemoved>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed)
    return answer(pass_on(allowed.error()));
  RemoveTemplate command = which;
  command.tenant = principal.tenant;
  commit<TemplateRemoved>(command, [this, command, answer = std::move(answer)](Result<TemplateRemoved> removed) {
    if (!removed) return answer(std::move(removed));
    if (removed->count == 0) {
      return answer(
          refuse(ErrorCode::not_found, "no such template {}/{} is registered", command.namespace_, command.name));
    }
    templates_.remove(command.tenant, command.namespace_, command.name, command.version);
    answer(std::move(removed));
  });
}

Result<std::vector<TemplateRegistry::Shared>> Engine::templates(const domain::Principal& principal) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  return templates_.all(principal.tenant);
}

Result<std::vector<TemplateRegistry::Shared>> Engine::template_versions(const domain::Principal& principal,
                                                                        const std::string& namespace_,
                                                                        const std::string& name) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  std::vector<TemplateRegistry::Shared> versions = templates_.versions(principal.tenant, namespace_, name);
  if (versions.empty()) return refuse(ErrorCode::not_found, "no template {}/{} is registered", namespace_, name);
  return versions;
}

Result<TemplateRegistry::Shared> Engine::template_version(const domain::Principal& principal,
                                                          const std::string& namespace_, const std::string& name,
                                                          const std::string& version) {
  const Result<std::vector<TemplateRegistry::Shared>> versions = template_versions(principal, namespace_, name);
  if (!versions) return pass_on(versions.error());
  for (const TemplateRegistry::Shared& each : *versions) {
    if (each->version == version) return each;
  }
  return refuse(ErrorCode::not_found, "no such version of the template is registered");
}

}  // namespace semel::engine
