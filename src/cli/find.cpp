#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/show_timers.hpp"

namespace semel::cli {
namespace {

void add_fact_of(Table& facts, const char* name, std::string value) {
  if (!value.empty()) facts.add({{name, Color::faint}, std::move(value)});
}

void show_push(const Client& client, Table& facts, const JsonView& push) {
  if (!push.exists()) return;
  add_fact_of(facts, "push", push["state"].text() + (push["open"].text() == "true" ? "" : ", over"));
  add_fact_of(facts, "sends", push["sends"].text());
  add_fact_of(facts, "accepted", client.time(push["accepted_at"]));
  add_fact_of(facts, "next send", client.time(push["next_send_at"]));
  add_fact_of(facts, "target said", shorten(push["answer"].text(), 80));
}

void show_dispatch(const Client& client, const JsonView& dispatch) {
  Table facts;
  add_fact_of(facts, "dispatch", dispatch["dispatch_id"].text());
  add_fact_of(facts, "external id", dispatch["external_id"].text());
  add_fact_of(facts, "task", dispatch["task_uuid"].text());
  facts.add({{"status", Color::faint}, Client::status(dispatch["status"])});
  add_fact_of(facts, "attempt", dispatch["attempt"].text());
  add_fact_of(facts, "attempt id", dispatch["attempt_id"].text());
  add_fact_of(facts, "outcome", dispatch["outcome"].text());
  add_fact_of(facts, "queue", dispatch["queue"].text());
  add_fact_of(facts, "handler", dispatch["handler"].text());
  add_fact_of(facts, "started", client.time(dispatch["started_at"]));
  add_fact_of(facts, "ended", client.time(dispatch["ended_at"]));
  show_push(client, facts, dispatch["push"]);
  client.print_table(facts);
  show_timers(client, dispatch);
}

/// A server looks for an external identifier for a moment only, and says where to go on: until it was found, or all
/// tasks were looked at.
Result<HttpReply> look_for(Client& client, const std::string& identifier) {
  const bool is_external = identifier.starts_with("d_") || identifier.starts_with("t_");
  Progress progress("looking at");
  std::uint64_t looked_at = 0;
  std::optional<std::string> cursor;
  for (;;) {
    Query query;
    query.add(is_external ? "external_id" : "dispatch_id", identifier).add("cursor", cursor);
    Result<HttpReply> reply = client.call({.target = "/v1/dispatches" + query.text()});
    if (!reply || reply->status != 202) return reply;
    const JsonView answer = JsonView::parse(reply->body);
    looked_at += std::strtoull(answer["looked_at"].text().c_str(), nullptr, 10);
    cursor = answer["next"].text();
    progress.tell(fmt::format("{} tasks, back to {}", looked_at, client.time(answer["looked_back_to"])));
  }
}

int run_find(Client& client, const std::string& identifier) {
  return client.finish(look_for(client, identifier),
                       [&](const JsonView& dispatch) { show_dispatch(client, dispatch); });
}

/// Not repeated: each time, it is sent once more.
int run_redispatch(Client& client, const std::string& id) {
  const std::string target = "/v1/tasks/" + percent_encode(id) + "/redispatch";
  return client.finish(client.call({.method = "POST", .target = target, .body = "{}"}, Repeat::never),
                       [](const JsonView& answer) {
                         print(fmt::format("{}\n", printable(answer["dispatch_id"].text())));
                         print(fmt::format("{}\n", printable(answer["external_id"].text())));
                       });
}

}  // namespace

void add_find(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("find", "Find the task of a dispatch or a timer, by either of its identifiers.");
  const auto identifier = std::make_shared<std::string>();
  command->add_option("identifier", *identifier, "dispatch:RUN:TASK:ATTEMPT, timer:…, d_… or t_…")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel find d_cxtoltqhbncw6nevn7hy53kqn6");
  command->callback([options, identifier, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_find(client, *identifier); });
  });
}

void add_redispatch(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "redispatch", "Send a task once more that its target has accepted, under a new name; for administrators.");
  const auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The task's uuid")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel redispatch 019bddae-b818-7d82-b7c5-bd42e5db27fc");
  command->callback([options, id, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return run_redispatch(client, *id); });
  });
}

}  // namespace semel::cli
