#include "domain/workflow/step.hpp"

#include "base/ensure.hpp"

namespace semel::domain {

std::string_view name_of(OnUpstreamFailure policy) {
  switch (policy) {
    case OnUpstreamFailure::skip: return "skip";
    case OnUpstreamFailure::block: return "block";
    case OnUpstreamFailure::run: return "run";
  }
  ensure(false);
  return "";
}

std::optional<OnUpstreamFailure> parse_on_upstream_failure(std::string_view name) {
  for (const auto policy : {OnUpstreamFailure::skip, OnUpstreamFailure::block, OnUpstreamFailure::run}) {
    if (name_of(policy) == name) return policy;
  }
  return std::nullopt;
}

std::string_view name_of(Join join) {
  switch (join) {
    case Join::all: return "all";
    case Join::settled: return "settled";
  }
  ensure(false);
  return "";
}

std::optional<Join> parse_join(std::string_view name) {
  for (const Join join : {Join::all, Join::settled}) {
    if (name_of(join) == name) return join;
  }
  return std::nullopt;
}

}  // namespace semel::domain
