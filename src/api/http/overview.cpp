#include "api/http/list_query.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

Result<engine::OverviewSpan> span_from(const Request& request) {
  const std::string span = text_from(request, "span").value_or("hour");
  if (span == "hour") return engine::OverviewSpan::hour;
  if (span == "day") return engine::OverviewSpan::day;
  return bad_request("span must be hour or day");
}

}  // namespace

void get_overview(Call call) {
  if (Result<void> known = check_query(call.request, {"span"}); !known) return call.to.refuse(known.error());
  const Result<engine::OverviewSpan> span = span_from(call.request);
  if (!span) return call.to.refuse(span.error());
  const Result<engine::OverviewView> view = call.engine.overview(call.principal, *span);
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_overview(*view));
}

void list_workers(Call call) {
  const Result<std::vector<engine::WorkerRegistry::Seen>> workers = call.engine.workers(call.principal);
  if (!workers) return call.to.refuse(workers.error());
  call.to.answer(codec::encode_workers(*workers));
}

void count_tasks(Call call) {
  for (const std::string_view paging : {"limit", "cursor"}) {
    if (call.request.query_value(paging) != nullptr)
      return call.to.refuse({ErrorCode::bad_request, "a count takes no limit and no cursor, only filters"});
  }
  Result<ListQuery> query = list_query_from(call.request);
  if (!query) return call.to.refuse(query.error());
  const Result<engine::CountView> view = call.engine.count(call.principal, *std::move(query));
  if (!view) return call.to.refuse(view.error());
  call.to.answer(codec::encode_count(*view));
}

void who_am_i(Call call) { call.to.answer(codec::encode_who(call.engine.who(call.principal))); }

}  // namespace semel::http
