#include "cli/client/refusal.hpp"

#include "cli/client/json_view.hpp"
#include "cli/client/terminal.hpp"

namespace semel::cli {
namespace {

std::string_view advice_for(int status) {
  switch (status) {
    case 401: return "; give an API key with --key or SEMEL_KEY";
    case 403: return "; use a key that has the permission";
    case 503: return "; the server is busy or stopping, try again later";
    default: return "";
  }
}

/// "differs at /a, /b", as a mismatch tells.
std::string pointers_of(const JsonView& error) {
  std::string all;
  for (const JsonView& each : error["pointers"].elements()) {
    const std::string pointer = each.text();
    all += (all.empty() ? " It differs at " : ", ") + (pointer.empty() ? "the whole" : pointer);
  }
  return all.empty() ? all : all + ".";
}

/// The server speaks of its paths; whoever is at a terminal has commands.
std::string in_commands(std::string message) {
  constexpr std::string_view path = "GET /v1/tasks/by-key?key=… finds";
  if (const std::size_t at = message.find(path); at != std::string::npos)
    message.replace(at, path.size(), "semel get --idempotency-key KEY finds");
  return message;
}

}  // namespace

std::string explain_refusal(const Result<HttpReply>& reply) {
  if (!reply) return printable(reply.error().message);
  const JsonView error = JsonView::parse(reply->body)["error"];
  if (!error.exists()) return fmt::format("the answer was {} without a reason; is this a Semel server?", reply->status);
  const std::string message = in_commands(error["message"].text()) + pointers_of(error);
  return fmt::format("{} ({} {}){}", printable(message), reply->status, printable(error["code"].text()),
                     advice_for(reply->status));
}

}  // namespace semel::cli
