#include "dispatch/answer.hpp"

#include <fmt/format.h>

#include "base/json/reader.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"

namespace semel::dispatch {
namespace {

using http_client::Failure;
using http_client::Outcome;
using http_client::Reply;

constexpr std::size_t excerpt_bytes_max = 1000;

bool is_success(int status) { return status / 100 == 2; }

/// The target is there, and asks for another try in time.
bool is_later(int status) { return status / 100 == 5 || status == 408 || status == 425 || status == 429; }

SendRefused refused(int status, std::string why, std::string_view body = {}) {
  return {status, std::move(why), excerpt(body)};
}

/// What the status alone says, of answers that are no success.
SendAnswer answer_of_status(const Reply& reply) {
  if (reply.status == 409) return SendAccepted{true};
  if (is_later(reply.status))
    return SendLater{reply.retry_after, reply.status, fmt::format("it answered {}", reply.status)};
  if (reply.status / 100 == 3)
    return refused(reply.status, fmt::format("it answered {}: redirects are not followed", reply.status), reply.body);
  return refused(reply.status, fmt::format("it answered {}", reply.status), reply.body);
}

SendAnswer answer_of_result(const Reply& reply) {
  if (reply.body.find_first_not_of(" \t\r\n") == std::string::npos) return SendCompleted{};
  if (reply.body.size() > domain::limits::context_bytes_max)
    return refused(reply.status, fmt::format("its result has more than {} bytes", domain::limits::context_bytes_max),
                   reply.body);
  json::Reader reader(reply.body);
  std::string canonical;
  Result<std::string_view> result = reader.read_canonical(canonical);
  const Result<void> end = result ? reader.expect_end() : Result<void>();
  if (!result || !end)
    return refused(reply.status,
                   fmt::format("its result is not JSON: {}", (result ? end.error() : result.error()).message),
                   reply.body);
  return SendCompleted{std::string(*result)};
}

/// An answer whose body did not come whole still has a status, which says enough unless the body is the result.
SendAnswer answer_of_failure(const Failure& failure, bool has_result) {
  if (failure.kind == Failure::Kind::forbidden_address) return refused(0, failure.message);
  if (failure.status == 0) {
    if (!failure.is_begun) return SendLater{{}, 0, failure.message};
    return SendUnknown{failure.message};
  }
  if (!is_success(failure.status)) return answer_of_status({failure.status, {}, {}});
  if (failure.status == 202 || !has_result) return SendAccepted{};
  if (failure.kind == Failure::Kind::too_large) return refused(failure.status, failure.message);
  return SendUnknown{failure.message};
}

}  // namespace

std::string excerpt(std::string_view body) {
  std::string text;
  while (!body.empty() && text.size() < excerpt_bytes_max) {
    const std::size_t length = utf8_length(body);
    const bool is_control = length == 1 && (static_cast<unsigned char>(body[0]) < ' ' || body[0] == 0x7F);
    if (length == 0) text += "\uFFFD";
    else if (is_control) text += ' ';
    else text += body.substr(0, length);
    body.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

SendAnswer answer_of_endpoint(const Outcome& outcome) {
  if (!outcome) return answer_of_failure(outcome.error(), true);
  if (outcome->status == 202) return SendAccepted{};
  return is_success(outcome->status) ? answer_of_result(*outcome) : answer_of_status(*outcome);
}

SendAnswer answer_of_cloud_tasks(const Outcome& outcome) {
  // A conflict may also be one of two changes at a time (ABORTED). Only the body says which.
  const int status = outcome ? outcome->status : outcome.error().status;
  const bool is_known = outcome && outcome->body.find(R"("ALREADY_EXISTS")") != std::string::npos;
  if (status == 409 && !is_known) return SendLater{{}, 409, "it answered 409, and not that it has the task"};
  if (!outcome) return answer_of_failure(outcome.error(), false);
  if (is_success(outcome->status)) return SendAccepted{};
  // Its token was good when it was sent; the next try gets a new one.
  if (outcome->status == 401) return SendLater{{}, 401, "it does not take the access token"};
  return answer_of_status(*outcome);
}

}  // namespace semel::dispatch
