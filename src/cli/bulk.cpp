#include "cli/bulk.hpp"

#include <CLI/CLI.hpp>

#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/task_filter.hpp"

namespace semel::cli {
namespace {

constexpr int page_tasks = 1'000;

struct Totals {
  std::uint64_t matched = 0;
  std::uint64_t done = 0;
};

/// Goes through all pages. Nothing when one of them failed: then it was said why, and `code` is set.
std::optional<Totals> go_through(Client& client, const BulkCall& call, bool dry_run, std::uint64_t expected,
                                 int& code) {
  Totals totals;
  std::optional<std::string> cursor;
  Progress progress(dry_run ? "counting" : call.doing);
  do {
    Query query = call.filter;
    query.add("limit", std::to_string(page_tasks)).add("cursor", cursor);
    if (dry_run) query.add("dry_run", std::string("true"));
    const HttpCall page{.method = "POST", .target = "/v1/tasks:" + call.verb + query.text(), .body = "{}"};
    const Result<HttpReply> reply = client.call(page);
    if (!reply || reply->status != 200) {
      code = client.fail(reply);
      return std::nullopt;
    }
    const JsonView answer = JsonView::parse(reply->body);
    totals.matched += std::strtoull(answer["matched"].text().c_str(), nullptr, 10);
    totals.done += std::strtoull(answer["done"].text().c_str(), nullptr, 10);
    cursor = answer["next_cursor"].exists() ? std::optional(answer["next_cursor"].text()) : std::nullopt;
    if (expected > 0) progress.show(std::min(totals.matched, expected), expected);
  } while (cursor);
  return totals;
}

}  // namespace

int run_bulk(Client& client, const BulkCall& call) {
  int code = exit_code::ok;
  const std::optional<Totals> counted = go_through(client, call, true, 0, code);
  if (!counted) return code;
  if (!call.yes || counted->matched == 0) {
    if (client.json()) print(fmt::format("{{\"matched\":{},\"done\":0}}\n", counted->matched));
    else if (counted->matched == 0) print("no task fits\n");
    else print(fmt::format("{} would be {}; add --yes to do it\n", counted->matched, call.participle));
    return exit_code::ok;
  }
  const std::optional<Totals> acted = go_through(client, call, false, counted->matched, code);
  if (!acted) return code;
  if (client.json()) {
    print(fmt::format("{{\"matched\":{},\"done\":{}}}\n", acted->matched, acted->done));
    return exit_code::ok;
  }
  print(fmt::format("{} {}\n", acted->done, call.participle));
  if (acted->done < acted->matched)
    print(fmt::format("{} were not: they had changed, or another task holds their identity\n",
                      acted->matched - acted->done));
  return exit_code::ok;
}

namespace {

struct BulkVerb {
  const char* verb;
  const char* participle;
  const char* doing;
  const char* what;
};

void add_bulk_verb(CLI::App& group, int& exit_code, const BulkVerb& verb) {
  CLI::App* command = group.add_subcommand(verb.verb, verb.what);
  const auto filter = add_task_filter(*command);
  const auto all = std::make_shared<bool>(false);
  const auto yes = std::make_shared<bool>(false);
  command->add_flag("--all", *all, "All tasks, instead of a filter");
  command->add_flag("--yes", *yes, "Do it; without it, only count");
  const auto options = add_client_options(*command);
  command->footer(
      fmt::format("Example:\n  semel {} {} --queue paperwork --created-before 2h", group.get_name(), verb.verb));
  command->callback([=, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) {
      Result<Query> query = query_of(*filter, client.now());
      if (!query) return refuse_usage(query.error().message);
      if (query->text().empty() && !*all) return refuse_usage("say which tasks, by a filter, or --all");
      if (*all) query->add("all", std::string("true"));
      return run_bulk(client, {verb.verb, verb.participle, verb.doing, *std::move(query), *yes});
    });
  });
}

}  // namespace

void add_bulk(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("bulk", "Cancel, retry or delete all tasks that fit a filter.");
  group->require_subcommand(1);
  add_bulk_verb(*group, exit_code, {"cancel", "cancelled", "cancelling", "Cancel pending and running tasks."});
  add_bulk_verb(*group, exit_code, {"retry", "tried again", "retrying", "Try failed and timed out tasks again."});
  add_bulk_verb(*group, exit_code, {"delete", "deleted", "deleting", "Delete closed tasks, before their retention."});
  group->footer("Example:\n  semel bulk retry --queue paperwork --status failed --yes");
}

void add_dead(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("dead", "Tasks that failed for good, and how to give them another chance.");
  group->require_subcommand(1);
  add_dead_list(*group, exit_code);
  add_bulk_verb(*group, exit_code, {"retry", "tried again", "retrying", "Try them again."});
  group->footer("Example:\n  semel dead ls --queue paperwork");
}

}  // namespace semel::cli
