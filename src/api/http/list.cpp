#include "api/codec/query.hpp"
#include "api/http/list_query.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

namespace semel::http {
namespace {

Result<void> read_labels(const Request& request, ListQuery& query) {
  for (const auto& [name, value] : request.query) {
    if (name != "label") continue;
    const std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos) return bad_request("label must be NAME=VALUE");
    query.labels.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return {};
}

/// What the executions are: all, tasks, workflows or promises, or what one run or workflow has made.
Result<void> read_kind(const Request& request, ListQuery& query) {
  if (const std::optional<std::string> kind = text_from(request, "kind")) {
    query.kind = domain::parse_kind(*kind);
    if (!query.kind) return bad_request("kind must be task, workflow or promise");
  }
  const std::optional<std::string> parent = text_from(request, "parent");
  if (!parent) return {};
  query.run = domain::ExecutionId::parse(*parent);
  return query.run ? Result<void>{} : bad_request("parent must be the UUID of a run or a workflow");
}

Result<void> read_times(const Request& request, ListQuery& query) {
  const Result<std::optional<Time>> after = time_from(request, "created_after");
  if (!after) return pass_on(after.error());
  const Result<std::optional<Time>> before = time_from(request, "created_before");
  if (!before) return pass_on(before.error());
  query.created_after = *after;
  query.created_before = *before;
  return {};
}

}  // namespace

Result<ListQuery> list_query_from(const Request& request, const std::vector<std::string_view>& others) {
  std::vector<std::string_view> once{"namespace", "name",   "queue",  "handler", "created_after", "created_before",
                                     "limit",     "cursor", "parent", "kind",    "context_path",  "context_text"};
  once.insert(once.end(), others.begin(), others.end());
  const Result<void> known = check_query(request, once, {"status", "label"});
  if (!known) return pass_on(known.error());
  ListQuery query;
  if (Result<void> read = read_kind(request, query); !read) return pass_on(read.error());
  query.namespace_ = text_from(request, "namespace");
  query.name = text_from(request, "name");
  query.queue = text_from(request, "queue");
  query.handler = text_from(request, "handler");
  codec::name_handler(query);
  query.cursor = text_from(request, "cursor");
  Result<std::vector<domain::State>> states = states_from(request);
  if (!states) return pass_on(states.error());
  query.states = *std::move(states);
  if (Result<void> read = read_labels(request, query); !read) return pass_on(read.error());
  if (Result<void> read = read_times(request, query); !read) return pass_on(read.error());
  Result<std::optional<ContextSearch>> search =
      codec::context_search(text_from(request, "context_path"), text_from(request, "context_text"));
  if (!search) return pass_on(search.error());
  query.search = *std::move(search);
  const Result<std::size_t> limit = limit_from(request);
  if (!limit) return pass_on(limit.error());
  query.limit = *limit;
  return query;
}

void list_tasks(Call call) {
  Result<ListQuery> query = list_query_from(call.request, {"leases"});
  if (!query) return call.to.refuse(query.error());
  const Result<bool> with_leases = flag_from(call.request, "leases");
  if (!with_leases) return call.to.refuse(with_leases.error());
  const Result<Page> page = call.engine.list(call.principal, *std::move(query));
  if (!page) return call.to.refuse(page.error());
  if (!*with_leases) return call.to.answer(codec::encode_page(*page));
  call.to.answer(codec::encode_page(*page, call.engine.running_attempts(call.principal, *page)));
}

}  // namespace semel::http
