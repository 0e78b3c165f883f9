#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/transport/message.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "domain/state.hpp"

/// Reading query parameters, with messages that name the parameter.
namespace semel::http {

/// Refuses query parameters other than these: a misspelt one must not be ignored. Only those in `repeatable` may be
/// given more than once.
Result<void> check_query(const Request& request, const std::vector<std::string_view>& known,
                         const std::vector<std::string_view>& repeatable = {});

std::optional<std::string> text_from(const Request& request, std::string_view name);
Result<std::optional<std::int64_t>> number_from(const Request& request, std::string_view name);
Result<std::optional<Time>> time_from(const Request& request, std::string_view name);

/// "true" or "false"; false when it is not there.
Result<bool> flag_from(const Request& request, std::string_view name);

/// All values of `status`.
Result<std::vector<domain::State>> states_from(const Request& request);

/// `limit`: 1 to 1,000, 100 by default.
Result<std::size_t> limit_from(const Request& request);

/// Which page of a history.
struct HistoryQuery {
  std::int64_t after = 0;
  std::size_t limit = 100;
};
Result<HistoryQuery> history_query_from(const Request& request);

}  // namespace semel::http
