#include <algorithm>
#include <iterator>

#include "api/http/list_query.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

/// So that a forgotten filter does not mean everything.
Result<void> check_filter(const Request& request, bool all) {
  constexpr std::string_view no_filter[] = {"limit", "cursor", "dry_run", "all"};
  const bool has_filter = std::any_of(request.query.begin(), request.query.end(), [&](const auto& each) {
    return std::find(std::begin(no_filter), std::end(no_filter), each.first) == std::end(no_filter);
  });
  if (has_filter && all) return bad_request("all=true and a filter exclude each other");
  if (!has_filter && !all) return bad_request("say which tasks, by the filters of GET /v1/tasks, or all=true");
  return {};
}

void act_on_many(const Call& call, engine::BulkAct act) {
  if (!call.request.body.empty() && call.request.body != "{}")
    return call.to.refuse({ErrorCode::bad_request, "the body must be empty or {}; filters are query parameters"});
  const Result<bool> dry_run = flag_from(call.request, "dry_run");
  if (!dry_run) return call.to.refuse(dry_run.error());
  const Result<bool> all = flag_from(call.request, "all");
  if (!all) return call.to.refuse(all.error());
  Result<ListQuery> query = list_query_from(call.request, {"dry_run", "all"});
  if (!query) return call.to.refuse(query.error());
  if (Result<void> good = check_filter(call.request, *all); !good) return call.to.refuse(good.error());
  call.engine.bulk(call.principal, act, *dry_run, *std::move(query),
                   [to = call.to](const Result<engine::BulkAnswer>& answer) {
                     if (!answer) return to.refuse(answer.error());
                     to.answer(codec::encode_bulk(*answer));
                   });
}

}  // namespace

void cancel_tasks(Call call) { act_on_many(call, engine::BulkAct::cancel); }
void retry_tasks(Call call) { act_on_many(call, engine::BulkAct::retry); }
void delete_tasks(Call call) { act_on_many(call, engine::BulkAct::remove); }

}  // namespace semel::http
