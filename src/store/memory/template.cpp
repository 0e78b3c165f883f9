#include "store/memory/tables.hpp"

namespace semel::store::memory {

Outcome apply(Tables& tables, const PutTemplate& put, Time) {
  TemplateVersion& version = tables.templates[{put.tenant, put.namespace_, put.name, put.version}];
  if (version.document == put.document) return TemplateStored{version.revision, false};
  version.document = put.document;
  version.revision += 1;
  return TemplateStored{version.revision, true};
}

Outcome apply(Tables& tables, const RemoveTemplate& remove, Time) {
  TemplateRemoved removed;
  for (auto& [key, version] : tables.templates) {
    const auto& [tenant, namespace_, name, text] = key;
    const bool meant = tenant == remove.tenant && namespace_ == remove.namespace_ && name == remove.name &&
                       (remove.version.empty() || remove.version == text);
    if (!meant || !version.document) continue;
    version.document.reset();
    removed.count += 1;
  }
  return removed;
}

}  // namespace semel::store::memory
