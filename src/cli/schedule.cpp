#include "cli/schedule.hpp"

#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"

namespace semel::cli {
namespace {

/// "30 2 * * * Europe/Berlin", or the one time of a one-off.
std::string timing_of(const JsonView& schedule) {
  if (schedule["unreadable"].exists()) return schedule["unreadable"].text();
  if (schedule["at"].exists()) return schedule["at"].text();
  return schedule["cron"].text() + " " + schedule["time_zone"].text();
}

std::string policy_of(const JsonView& schedule) {
  const JsonView max = schedule["catch_up_max"];
  return schedule["missed"].text() + (max.exists() ? " " + max.text() : "");
}

Color color_of_firing(const std::string& outcome) {
  if (outcome == "refused") return Color::red;
  return outcome == "skipped" ? Color::yellow : Color::none;
}

Cell next_of(const Client& client, const JsonView& schedule) {
  if (schedule["paused"].text() == "true") return {"paused", Color::yellow};
  if (!schedule["next_firing"].exists()) return {"ended", Color::faint};
  return client.age(schedule["next_firing"]);
}

void add_last_firing(const Client& client, const JsonView& firing, Table& facts) {
  if (!firing.exists()) return;
  facts.add({{"last firing", Color::faint}, client.time(firing["nominal_time"])});
  const std::string outcome = firing["outcome"].text();
  facts.add({{"  outcome", Color::faint}, {outcome, color_of_firing(outcome)}});
  if (firing["error"].exists()) facts.add({{"  error", Color::faint}, firing["error"].text()});
}

void show_schedule(const Client& client, const JsonView& schedule) {
  Table facts;
  facts.add({{"schedule", Color::faint}, schedule["name"].text()});
  facts.add({{"fires", Color::faint}, timing_of(schedule)});
  for (const char* bound : {"start", "end"}) {
    if (schedule[bound].exists()) facts.add({{bound, Color::faint}, client.time(schedule[bound])});
  }
  facts.add({{"missed", Color::faint}, policy_of(schedule)});
  facts.add({{"overlap", Color::faint}, schedule["overlap"].text()});
  if (schedule["task"].exists()) facts.add({{"task", Color::faint}, std::string(schedule["task"].raw())});
  add_last_firing(client, schedule["last_firing"], facts);
  const JsonView task = schedule["last_task"];
  if (task.exists()) facts.add({{"last task", Color::faint}, task["task_uuid"].text() + " " + task["status"].text()});
  const JsonView counts = schedule["counts"];
  facts.add({{"tasks made", Color::faint}, counts["submitted"].text()});
  facts.add({{"skipped", Color::faint}, counts["skipped"].text()});
  facts.add({{"refused", Color::faint}, counts["refused"].text()});
  facts.add({{"next", Color::faint}, next_of(client, schedule)});
  for (const JsonView& time : schedule["upcoming"].elements()) facts.add({"", client.time(time)});
  client.print_table(facts);
}

void show_schedules(const Client& client, const std::vector<std::string>& pages) {
  Table table({"SCHEDULE", "FIRES", "MISSED", "OVERLAP", "NEXT", "LAST", "TASKS", "SKIPPED", "REFUSED"});
  for (const std::string& page : pages) {
    for (const JsonView& schedule : JsonView::parse(page)["schedules"].elements()) {
      const std::string outcome = schedule["last_firing"]["outcome"].text();
      const JsonView counts = schedule["counts"];
      table.add({schedule["name"].text(),
                 timing_of(schedule),
                 policy_of(schedule),
                 schedule["overlap"].text(),
                 next_of(client, schedule),
                 {outcome, color_of_firing(outcome)},
                 counts["submitted"].text(),
                 counts["skipped"].text(),
                 counts["refused"].text()});
    }
  }
  if (table.empty()) print("no schedules\n");
  else client.print_table(table);
}

/// All pages; with --json each as it comes.
int list_schedules(Client& client) {
  std::vector<std::string> pages;
  std::string cursor;
  do {
    const std::string target = "/v1/schedules?limit=1000" + (cursor.empty() ? "" : "&cursor=" + percent_encode(cursor));
    const Result<HttpReply> reply = client.call({.target = target});
    if (!reply || reply->status != 200) return client.fail(reply);
    if (client.json()) print(reply->body + "\n");
    pages.push_back(reply->body);
    cursor = JsonView::parse(reply->body)["next_cursor"].text();
  } while (!cursor.empty());
  if (!client.json()) show_schedules(client, pages);
  return exit_code::ok;
}

int remove_schedule(Client& client, const std::string& name) {
  const HttpCall call{.method = "DELETE", .target = schedule_path(name)};
  const Result<HttpReply> reply = client.call(call);
  if (!reply || reply->status != 204) return client.fail(reply);
  if (!client.json()) print("removed\n");
  return exit_code::ok;
}

/// The time is said once, so that sending it again makes no second task.
int run_schedule(Client& client, const std::string& name) {
  json::Writer body;
  body.begin_object().string("nominal_time", to_rfc3339(client.now())).end_object();
  const HttpCall call{.method = "POST", .target = schedule_path(name) + "/run", .body = body.take()};
  const Result<HttpReply> reply = client.call(call);
  const int code = client.finish(reply, [&](const JsonView& firing) {
    const std::string outcome = firing["outcome"].text();
    print(fmt::format("{}{}{}\n", printable(firing["task_uuid"].text()), firing["task_uuid"].exists() ? "  " : "",
                      paint(printable(outcome), color_of_firing(outcome), client.colored())));
    if (firing["error"].exists()) print(printable(firing["error"].text()) + "\n");
  });
  if (code != exit_code::ok) return code;
  return JsonView::parse(reply->body)["outcome"].text() == "refused" ? exit_code::failed : exit_code::ok;
}

void add_schedule_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("ls", "List the schedules.");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel schedule ls");
  command->callback([options, &exit_code] { exit_code = run_client(*options, list_schedules); });
}

using Act = int (*)(Client&, const std::string& name);

void add_schedule_act(CLI::App& group, int& exit_code, const char* verb, const char* what, Act act) {
  const ScheduleCommand command(group, verb, what);
  command.app->callback([command, act, &exit_code] {
    exit_code = run_client(*command.options, [&](Client& client) { return act(client, *command.name); });
  });
}

template <const char* Verb>
int post_schedule(Client& client, const std::string& name) {
  return change_schedule(client, {.method = "POST", .target = schedule_path(name) + Verb, .body = "{}"});
}
constexpr char pause_verb[] = "/pause";
constexpr char resume_verb[] = "/resume";

int get_schedule(Client& client, const std::string& name) {
  return change_schedule(client, {.target = schedule_path(name)});
}

}  // namespace

ScheduleCommand::ScheduleCommand(CLI::App& group, const char* verb, const char* what)
    : app(group.add_subcommand(verb, what)) {
  app->add_option("schedule", *name, "The schedule's name")->required();
  options = add_client_options(*app);
  app->footer(fmt::format("Example:\n  semel schedule {} nightly", verb));
}

std::string schedule_path(const std::string& name) { return "/v1/schedules/" + percent_encode(name); }

int change_schedule(Client& client, const HttpCall& call) {
  return client.finish(client.call(call), [&](const JsonView& answer) { show_schedule(client, answer); });
}

void add_schedule(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("schedule", "Make tasks by themselves: by cron, or once at a time.");
  group->require_subcommand(1);
  add_schedule_list(*group, exit_code);
  add_schedule_act(*group, exit_code, "get", "Show a schedule, its last firing and its next ones.", get_schedule);
  add_schedule_set(*group, exit_code);
  add_schedule_act(*group, exit_code, "pause", "Let a schedule fire no more.", post_schedule<pause_verb>);
  add_schedule_act(*group, exit_code, "resume", "Go on with a paused schedule.", post_schedule<resume_verb>);
  add_schedule_act(*group, exit_code, "run", "Fire a schedule now, once more.", run_schedule);
  add_schedule_act(*group, exit_code, "rm", "Remove a schedule; its tasks stay.", remove_schedule);
  add_schedule_next(*group, exit_code);
  group->footer("Example:\n  semel schedule set nightly --cron '30 2 * * *' --zone Europe/Berlin --handler report");
}

}  // namespace semel::cli
