#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "domain/execution.hpp"
#include "domain/principal.hpp"
#include "domain/template.hpp"
#include "engine/engine_options.hpp"
#include "ports/store.hpp"

/// What several use cases of the engine need.
namespace semel::engine {

/// The refusal of a full commit queue: 503 with Retry-After.
Error overloaded();

/// Templates as the store keeps them, with their tenants. Throws StoreFault where one cannot be read.
std::vector<std::pair<std::string, domain::Template>> read_all(std::vector<StoredTemplate> stored,
                                                               const EngineOptions& options);

/// Where the context of a submission differs from that of the execution whose identity it has.
std::vector<std::string> differing_from(const domain::ExecutionSpec& theirs, const std::string& canonical_context,
                                        const domain::Template* template_);

/// Unknown, another tenant's, or not for this caller: all the same, so that ids can't be probed.
tl::unexpected<Error> no_such_task(domain::ExecutionId id);

/// The same of workflows that are written as code.
tl::unexpected<Error> no_such_workflow(domain::ExecutionId id);

std::vector<domain::Dispatch> plain(const std::vector<StoredDispatch>& stored);

/// forbidden, unless the principal has the permission.
Result<void> require(const domain::Principal& principal, domain::Permission permission);

}  // namespace semel::engine
