#include "api/codec/query.hpp"

#include <type_traits>

#include "base/utf8.hpp"
#include "domain/names.hpp"
#include "domain/workflow/code/names.hpp"

namespace semel::codec {
namespace {

constexpr std::int64_t page_default = 100;
constexpr std::int64_t page_max = 1'000;

}  // namespace

Result<void> check_wait(Duration wait) {
  if (wait <= engine::limits::wait_max) return {};
  return bad_request("wait is {}; at most {} are allowed", to_text(wait), to_text(engine::limits::wait_max));
}

Result<void> check_key_query(const engine::Engine::KeyQuery& query) {
  if (Result<void> fits = domain::check_key("key", query.key); !fits) return fits;
  if (!query.name && (query.namespace_ || query.version)) return bad_request("namespace and version need a name");
  return {};
}

Result<std::size_t> page_limit(std::optional<std::int64_t> said) {
  const std::int64_t limit = said.value_or(page_default);
  if (limit < 1 || limit > page_max) return bad_request("limit must be 1 to {}", page_max);
  return static_cast<std::size_t>(limit);
}

void name_handler(ListQuery& query) {
  if (query.kind == domain::Kind::workflow && query.handler)
    query.handler = domain::code::handler_of_workflow(*query.handler);
}

Result<std::optional<ContextSearch>> context_search(const std::optional<std::string>& path,
                                                    const std::optional<std::string>& text) {
  if (!text && !path) return std::optional<ContextSearch>();
  if (!text || text->empty()) return bad_request("context_text must say which text to look for");
  Result<json::Pointer> pointer = json::Pointer::parse(path.value_or(""));
  if (!pointer) return bad_request("context_path: {}", pointer.error().message);
  return ContextSearch{{*std::move(pointer), *text}};
}

template <typename Id>
Result<Id> parse_id(std::string_view text) {
  constexpr std::string_view hint =
      std::is_same_v<Id, domain::ExecutionId> ? "; GET /v1/tasks/by-key?key=… finds a task by its key" : "";
  const auto id = Id::parse(text);
  if (!id) return bad_request("'{}' is not a UUID{}", utf8_prefix(text, 64), hint);
  return *id;
}
template Result<domain::ExecutionId> parse_id(std::string_view text);
template Result<domain::AttemptId> parse_id(std::string_view text);

Result<Hash32> parse_identity_hash(std::string_view text) {
  const std::optional<Hash32> hash = hash_from_hex(text);
  if (!hash) return bad_request("an identity is named by its hash: 64 hexadecimal digits");
  return *hash;
}

}  // namespace semel::codec
