#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/client/query.hpp"
#include "cli/history.hpp"
#include "cli/workflow.hpp"

namespace semel::cli {
namespace {

constexpr int events_a_page = 1'000;

/// Adds all events, page by page. An answer that is none, when one could not be had.
Result<HttpReply> add_events(Client& client, const std::string& id, json::Writer& writer) {
  std::string cursor;
  while (true) {
    Query query;
    query.add("limit", std::to_string(events_a_page));
    if (!cursor.empty()) query.add("cursor", cursor);
    Result<HttpReply> page = client.call({.target = workflow_path(id) + "/events" + query.text()});
    if (!page || page->status != 200) return page;
    const JsonView answer = JsonView::parse(page->body);
    for (const JsonView& event : answer["events"].elements()) writer.raw(event.raw());
    cursor = answer["next_cursor"].text();
    if (cursor.empty()) return page;
  }
}

}  // namespace

Result<std::string> whole_history(Client& client, const std::string& id, int& exit_code) {
  const Result<HttpReply> found = client.call({.target = workflow_path(id)});
  if (!found || found->status != 200) {
    exit_code = client.fail(found);
    return bad_request("told");
  }
  const JsonView workflow = JsonView::parse(found->body);
  json::Writer writer;
  writer.begin_object();
  for (const char* name : {"workflow_execution_id", "workflow_id", "kind", "input"})
    if (workflow[name].exists()) writer.raw(name, workflow[name].raw());
  writer.key("events").begin_array();
  if (const Result<HttpReply> last = add_events(client, id, writer); !last || last->status != 200) {
    exit_code = client.fail(last);
    return bad_request("told");
  }
  return writer.end_array().end_object().take();
}

void add_workflow_history(CLI::App& group, int& exit_code) {
  const WorkflowCommand command(group, "history", "Show what happened in a workflow, in order.");
  const auto page = add_page_options(*command.app);
  command.app->footer(
      "With --json, and neither --limit nor --cursor, it is the whole, as semel workflow replay reads it.\n"
      "Example:\n  semel workflow history --workflow-id order-7 --json > order-7.json");
  command.app->callback([command, page, &exit_code] {
    const bool is_page = command.app->count("--limit") + command.app->count("--cursor") > 0;
    exit_code = command.run([&](Client& client, const std::string& id) {
      if (is_page || !client.json()) return show_history(client, workflow_path(id) + "/events", *page);
      int code = exit_code::ok;
      if (const Result<std::string> history = whole_history(client, id, code)) print(*history + "\n");
      return code;
    });
  });
}

}  // namespace semel::cli
