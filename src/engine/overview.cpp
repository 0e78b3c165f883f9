#include <algorithm>

#include "engine/engine.hpp"
#include "engine/search.hpp"

namespace semel::engine {

Result<OverviewView> Engine::overview(const domain::Principal& principal, OverviewSpan span) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  const bool is_hour = span == OverviewSpan::hour;
  OverviewView view;
  view.span = span;
  view.now = store_.now();
  view.since = begun_;
  view.interval = is_hour ? Duration(1min) : Duration(10min);
  view.points = metrics_.activity().read(principal.tenant, view.now, view.interval, is_hour ? 60 : 144);
  for (const Activity::Point& point : view.points) view.totals += point.counts;
  view.commit_times = metrics_.activity().commit_times(view.points.front().at);
  return view;
}

Result<CountView> Engine::count(const domain::Principal& principal, ListQuery query) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_read); !allowed)
    return pass_on(allowed.error());
  query.tenant = principal.tenant;
  query.limit = 1'000;
  bound_search(query, store_.now());
  CountView view;
  for (std::size_t pages = 0; pages < limits::counted_pages_max; ++pages) {
    Result<Page> page = store_.list(query);
    if (!page) return pass_on(page.error());
    view.count += page->executions.size();
    view.is_exact = !page->next;
    if (view.is_exact || view.count >= limits::counted_max) break;
    query.cursor = std::move(page->next);
  }
  view.count = std::min(view.count, limits::counted_max);
  return view;
}

}  // namespace semel::engine
