#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/commands.hpp"
#include "cli/schedule.hpp"
#include "cli/submission_options.hpp"

namespace semel::cli {
namespace {

/// What the command line says of a schedule. Texts are as given; the server judges them.
struct ScheduleText {
  std::optional<std::string> cron, zone, at, missed, overlap, start, end;
  std::optional<int> catch_up_max;
  std::optional<std::string> task_file;
  SubmissionOptions task;
  std::vector<const CLI::Option*> of_task;  // what says something about the task

  bool says_task() const {
    return std::any_of(of_task.begin(), of_task.end(), [](const auto* each) { return each->count() > 0; });
  }
};

/// The member as it is said now, else as it was.
void carry(json::Writer& body, std::string_view member, const std::optional<std::string>& said, const JsonView& old) {
  if (said) body.string(member, *said);
  else if (old.exists()) body.raw(member, old.raw());
}

void write_timing(json::Writer& body, const ScheduleText& text, const JsonView& old) {
  if (!text.at) carry(body, "cron", text.cron, old["cron"]);
  if (!text.at) carry(body, "time_zone", text.zone, text.cron && !old["cron"].exists() ? JsonView() : old["time_zone"]);
  if (!text.cron) carry(body, "at", text.at, old["at"]);
  for (const auto& [member, said] :
       {std::pair{"missed", &text.missed}, {"overlap", &text.overlap}, {"start", &text.start}, {"end", &text.end}})
    carry(body, member, *said, old[member]);
  const bool catches_up = text.missed.value_or(old["missed"].text()) == "catch_up";
  if (text.catch_up_max) body.integer("catch_up_max", *text.catch_up_max);
  else if (catches_up && old["catch_up_max"].exists()) body.raw("catch_up_max", old["catch_up_max"].raw());
}

/// The task as it is said now, whole; else as it was.
Result<std::string> write_task(const ScheduleText& text, const JsonView& old) {
  if (text.task_file) return read_file(*text.task_file);
  if (!text.says_task()) {
    if (old.exists()) return std::string(old.raw());
    return bad_request("say what is submitted: --handler, --template or --task FILE");
  }
  const Result<SubmissionText> task = text.task.read();
  if (!task) return pass_on(task.error());
  return write_submission(*task, {});
}

int set_schedule(Client& client, const std::string& name, const ScheduleText& text) {
  const Result<HttpReply> before = client.call({.target = schedule_path(name)});
  if (!before || (before->status != 200 && before->status != 404)) return client.fail(before);
  const JsonView old = before->status == 200 ? JsonView::parse(before->body) : JsonView();
  const Result<std::string> task = write_task(text, old["task"]);
  if (!task) return refuse_usage(task.error().message);
  json::Writer body;
  body.begin_object();
  write_timing(body, text, old);
  body.raw("task", *task).end_object();
  return change_schedule(client, {.method = "PUT", .target = schedule_path(name), .body = body.take()});
}

void add_timing_options(CLI::App& command, ScheduleText& text) {
  CLI::Option* cron = command.add_option("--cron", text.cron, "Again and again: '30 2 * * *', '@daily'");
  CLI::Option* zone = command.add_option("--zone", text.zone, "Whose clock that means: Europe/Berlin; UTC if absent");
  command.add_option("--at", text.at, "Once: 2026-01-20T12:30:00Z")->excludes(cron)->excludes(zone);
  command
      .add_option("--missed", text.missed, "Of those that were missed: none, the latest (if absent), the latest few")
      ->check(CLI::IsMember({"skip", "once", "catch_up"}));
  command.add_option("--catch-up-max", text.catch_up_max, "How few; 10 if absent")->check(CLI::Range(1, 1000));
  command.add_option("--overlap", text.overlap, "While the task before is open: no task (if absent), another, instead")
      ->check(CLI::IsMember({"skip", "allow", "cancel_previous"}));
  command.add_option("--start", text.start, "Nothing fires before it");
  command.add_option("--end", text.end, "Nothing fires at it or after it");
}

void add_task_options(CLI::App& command, ScheduleText& text) {
  SubmissionText& task = text.task.text;
  CLI::Option* name = command.add_option("--template", task.name, "The template (named task) to submit");
  CLI::Option* handler = command.add_option("--handler", task.handler, "For ad-hoc tasks: which workers do them");
  handler->excludes(name);
  text.of_task = {name, handler};
  const auto add = [&](const char* flag, auto& into, const char* what) {
    text.of_task.push_back(command.add_option(flag, into, what));
  };
  add("--namespace", task.namespace_, "Of the template; default if absent");
  add("--version", task.version, "Of the template; the newest if absent");
  add("--context", task.context, "The input as JSON, sent as written; - reads it");
  add("--context-file", text.task.context_file, "The file that has it; - is standard input");
  add("--queue", task.queue, "Request, else template, else default");
  add("--priority", task.priority, "Higher first; 0 if absent");
  add("--delay", task.delay, "Not before so long after the firing: 10m");
  add("--max-attempts", task.max_attempts, "How often it is tried at most; 3 if absent");
  add("--concurrency-key", task.concurrency_key, "Tasks of a queue with the same one run one at a time");
  add("--attempt-timeout", task.timeout, "How long one attempt may take: 30s");
  add("--deadline", task.deadline, "In how long it must be closed: 2h");
  add("--label", task.labels, "name=value; may be given more than once");
  CLI::Option* file = command.add_option("--task", text.task_file, "Instead: a file with it, as for POST /v1/tasks");
  for (const CLI::Option* each : text.of_task) file->excludes(command.get_option(each->get_name()));
}

}  // namespace

void add_schedule_set(CLI::App& group, int& exit_code) {
  const ScheduleCommand command(group, "set",
                                "Make or change a schedule. What is not said stays; a task is said as a whole.");
  const auto text = std::make_shared<ScheduleText>();
  add_timing_options(*command.app, *text);
  add_task_options(*command.app, *text);
  command.app->footer(
      "Examples:\n"
      "  semel schedule set nightly --cron '30 2 * * *' --zone Europe/Berlin --handler report\n"
      "  semel schedule set nightly --overlap allow --missed catch_up --catch-up-max 3");
  command.app->callback([command, text, &exit_code] {
    exit_code =
        run_client(*command.options, [&](Client& client) { return set_schedule(client, *command.name, *text); });
  });
}

}  // namespace semel::cli
