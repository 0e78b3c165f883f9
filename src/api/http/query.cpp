#include "api/http/query.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "api/codec/query.hpp"
#include "base/nearest.hpp"
#include "base/utf8.hpp"

namespace semel::http {
namespace {

bool is_among(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string state_names() {
  std::vector<std::string_view> names;
  for (const domain::State state : domain::all_states) names.push_back(name_of(state));
  return fmt::format("{}", fmt::join(names, ", "));
}

tl::unexpected<Error> unknown_parameter(std::string_view name, std::vector<std::string_view> known,
                                        const std::vector<std::string_view>& repeatable) {
  known.insert(known.end(), repeatable.begin(), repeatable.end());
  const std::string_view shown = utf8_prefix(name, 64);
  if (known.empty()) return bad_request("unknown query parameter '{}'; this path takes none", shown);
  if (const auto meant = nearest(shown, known))
    return bad_request("unknown query parameter '{}'; did you mean '{}'?", shown, *meant);
  return bad_request("unknown query parameter '{}'; known are {}", shown, fmt::join(known, ", "));
}

}  // namespace

Result<void> check_query(const Request& request, const std::vector<std::string_view>& known,
                         const std::vector<std::string_view>& repeatable) {
  for (std::size_t i = 0; i < request.query.size(); ++i) {
    const std::string& name = request.query[i].first;
    if (is_among(repeatable, name)) continue;
    if (!is_among(known, name)) return unknown_parameter(name, known, repeatable);
    for (std::size_t j = 0; j < i; ++j) {
      if (request.query[j].first == name)
        return bad_request("the query parameter '{}' is given twice", utf8_prefix(name, 64));
    }
  }
  return {};
}

std::optional<std::string> text_from(const Request& request, std::string_view name) {
  const std::string* text = request.query_value(name);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

Result<std::optional<std::int64_t>> number_from(const Request& request, std::string_view name) {
  const std::string* text = request.query_value(name);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || end != text->data() + text->size()) return bad_request("{} must be a number", name);
  return number;
}

Result<std::optional<Time>> time_from(const Request& request, std::string_view name) {
  const std::string* text = request.query_value(name);
  if (text == nullptr) return std::nullopt;
  const std::optional<Time> time = parse_rfc3339(*text);
  if (!time) return bad_request("{} must be a time such as 2026-01-20T12:30:00Z", name);
  return time;
}

Result<bool> flag_from(const Request& request, std::string_view name) {
  const std::string* text = request.query_value(name);
  if (text == nullptr || *text == "false") return false;
  if (*text == "true") return true;
  return bad_request("{} must be true or false", name);
}

Result<std::vector<domain::State>> states_from(const Request& request) {
  std::vector<domain::State> states;
  for (const auto& [name, value] : request.query) {
    if (name != "status") continue;
    const auto state = domain::parse_state(value);
    if (!state && value.find(',') != std::string::npos)
      return bad_request("status '{}' is no state of a task; for several, repeat it: status=pending&status=running",
                         utf8_prefix(value, 40));
    if (!state)
      return bad_request("status '{}' is no state of a task; it must be one of {}", utf8_prefix(value, 40),
                         state_names());
    states.push_back(*state);
  }
  return states;
}

Result<std::size_t> limit_from(const Request& request) {
  const Result<std::optional<std::int64_t>> limit = number_from(request, "limit");
  if (!limit) return pass_on(limit.error());
  return codec::page_limit(*limit);
}

Result<HistoryQuery> history_query_from(const Request& request) {
  if (Result<void> known = check_query(request, {"cursor", "limit"}); !known) return pass_on(known.error());
  const Result<std::optional<std::int64_t>> cursor = number_from(request, "cursor");
  if (!cursor) return pass_on(cursor.error());
  const Result<std::size_t> limit = limit_from(request);
  if (!limit) return pass_on(limit.error());
  return HistoryQuery{cursor->value_or(0), *limit};
}

}  // namespace semel::http
