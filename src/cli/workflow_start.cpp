#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "base/utf8.hpp"
#include "base/uuid7_source.hpp"
#include "cli/client/show_time.hpp"
#include "cli/submit.hpp"
#include "cli/workflow.hpp"

namespace semel::cli {
namespace {

struct StartOptions {
  std::string kind;
  std::string workflow_id;
  std::optional<std::string> input, queue, deadline, delay, reuse, on_duplicate;
  std::string wait = "0";
};

/// The uuid is made once, so that sending it again starts no second workflow.
Result<std::string> write_start(const StartOptions& options, const Uuid& uuid, Duration wait) {
  json::Writer body;
  body.begin_object().string("workflow_id", options.workflow_id).string("kind", options.kind);
  if (options.input) {
    const Result<std::string> input = read_json_option("--input", *options.input);
    if (!input) return pass_on(input.error());
    body.raw("input", *input);
  }
  const std::pair<const char*, const std::optional<std::string>*> texts[]{{"queue", &options.queue},
                                                                          {"deadline", &options.deadline},
                                                                          {"delay", &options.delay},
                                                                          {"reuse", &options.reuse},
                                                                          {"on_duplicate", &options.on_duplicate}};
  for (const auto& [name, text] : texts) {
    if (*text && !is_utf8(**text)) return bad_request("{} is not UTF-8", name);
    if (*text) body.string(name, **text);
  }
  if (wait > Duration{0}) body.string("wait", to_text(wait));
  return body.string("task_uuid", uuid.text()).end_object().take();
}

int start_workflow(Client& client, const StartOptions& options, Duration wait) {
  Uuid7Source ids(secure_random);
  const Uuid uuid = ids.next(client.now());
  Result<std::string> body = write_start(options, uuid, wait);
  if (!body) return refuse_usage(body.error().message);
  HttpCall call{.method = "POST", .target = "/v1/workflows", .body = *std::move(body)};
  call.more_time = wait;
  const Result<HttpReply> reply = client.call(call);
  if (!reply || exit_code_of(reply->status) != exit_code::ok) {
    const int code = client.fail(reply);
    return reply ? exit_code_of_submission(reply->status, JsonView::parse(reply->body)["error"]["code"].text()) : code;
  }
  const JsonView answer = JsonView::parse(reply->body);
  const std::string id = answer["workflow_execution_id"].text();
  if (client.json()) {
    print(reply->body + "\n");
  } else {
    const std::string status = answer["status"].text();
    print(fmt::format("{}  {}  {}\n", printable(id),
                      reply->status == 201 || id == uuid.text() ? "started" : "exists already",
                      paint(printable(status), color_of_status(status), client.colored())));
    show_outcome(client, answer);
  }
  return wait > Duration{0} ? exit_code_of_state(answer["status"].text()) : exit_code::ok;
}

}  // namespace

void add_workflow_start(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("start", "Start a workflow, once for each workflow_id.");
  auto start = std::make_shared<StartOptions>();
  command->add_option("kind", start->kind, "Which code it is")->required();
  command->add_option("--workflow-id", start->workflow_id, "What identifies the workflow")->required();
  command->add_option("--input", start->input, "The input as JSON, sent as written; - reads it");
  command->add_option("--queue", start->queue, "Where its workers look; default if absent");
  command->add_option("--delay", start->delay, "Not before so long from now: 10m");
  command->add_option("--deadline", start->deadline, "When it must be closed, or in how long: 2h");
  command->add_option("--reuse", start->reuse, "When a closed workflow's id may be taken over")
      ->check(CLI::IsMember({"allow_duplicate_failed_only", "reject_duplicate", "allow_duplicate"}));
  command->add_option("--on-duplicate", start->on_duplicate, "What a duplicate gets")
      ->check(CLI::IsMember({"reject", "describe", "return_existing"}));
  command->add_option("--wait", start->wait, "Wait for its end, at most 60s, and print its result: 30s");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel workflow start process_order --workflow-id order-7 --input '{\"order\": 7}'");
  command->callback([options, start, &exit_code] {
    const Result<Duration> wait = read_duration("--wait", start->wait);
    if (!wait) {
      exit_code = refuse_usage(wait.error().message);
      return;
    }
    exit_code = run_client(*options, [&](Client& client) { return start_workflow(client, *start, *wait); });
  });
}

}  // namespace semel::cli
