#include "cli/submit.hpp"

#include <CLI/CLI.hpp>

#include "base/uuid7_source.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "cli/submission_options.hpp"

namespace semel::cli {
namespace {

constexpr Duration server_wait_max = 60s;

int fail_submission(const Client& client, const Result<HttpReply>& reply) {
  const int code = client.fail(reply);
  if (!reply) return code;
  const std::string error = JsonView::parse(reply->body)["error"]["code"].text();
  const int meaning = exit_code_of_submission(reply->status, error);
  if (meaning == exit_code::duplicate)
    print_error("semel: semel explain with the same arguments says why; --on-duplicate says what a duplicate gets\n");
  return meaning;
}

/// An answer of 200 to our own id: an earlier try has created it, and its answer was lost.
std::string_view what_happened(const HttpReply& reply, const JsonView& answer, const std::string& own_id) {
  return reply.status == 201 || answer["task_uuid"].text() == own_id ? "created" : "exists already";
}

void show_submitted(const Client& client, const HttpReply& reply, const std::string& own_id) {
  const JsonView answer = JsonView::parse(reply.body);
  const std::string status = answer["status"].text();
  print(fmt::format("{}  {}  {}\n", printable(answer["task_uuid"].text()), what_happened(reply, answer, own_id),
                    paint(printable(status), color_of_status(status), client.colored())));
  show_outcome(client, answer);
}

int submit_one(Client& client, SubmissionText text, Duration wait) {
  Uuid7Source ids(secure_random);
  const Stamp stamp{ids.next(client.now()), client.now()};
  if (wait > Duration{0}) text.wait = std::min(wait, server_wait_max);
  Result<std::string> body = write_submission(text, stamp);
  if (!body) return refuse_usage(body.error().message);
  HttpCall call{.method = "POST", .target = "/v1/tasks", .body = *std::move(body)};
  call.more_time = text.wait.value_or(Duration{0});
  const Result<HttpReply> reply = client.call(call);
  if (!reply || exit_code_of(reply->status) != exit_code::ok) return fail_submission(client, reply);
  if (client.json()) print(reply->body + "\n");
  else show_submitted(client, *reply, stamp.task_uuid->text());
  if (wait == Duration{0}) return exit_code::ok;
  const JsonView answer = JsonView::parse(reply->body);
  const int state = exit_code_of_state(answer["status"].text());
  if (state != exit_code::still_open || wait <= server_wait_max) return state;
  const Result<HttpReply> last = await_result(client, answer["task_uuid"].text(), wait - server_wait_max);
  const int shown = client.finish(last, [&](const JsonView& result) { show_outcome(client, result); });
  return shown == exit_code::ok ? exit_code_of_state(JsonView::parse(last->body)["status"].text()) : shown;
}

struct SubmitOptions {
  std::shared_ptr<ClientOptions> client;
  std::shared_ptr<SubmissionOptions> submission;
  std::string wait = "0";
  std::string batch;
  std::vector<const CLI::Option*> of_one;  // what says something about one task

  /// The first option that was given although a batch has no place for it.
  const CLI::Option* out_of_place() const {
    const auto found = std::find_if(of_one.begin(), of_one.end(), [](const auto* each) { return each->count() > 0; });
    return found == of_one.end() ? nullptr : *found;
  }
};

int run_submit(const SubmitOptions& options) {
  if (!options.batch.empty()) {
    if (const CLI::Option* odd = options.out_of_place())
      return refuse_usage(odd->get_name() + " does not go with --batch: write it into the lines of the file");
    return run_client(*options.client, [&](Client& client) { return submit_batch(client, options.batch); });
  }
  if (!options.submission->text.name && !options.submission->text.handler)
    return refuse_usage("give the NAME of a template, --handler for an ad-hoc task, or --batch FILE");
  const Result<Duration> wait = read_duration("--wait", options.wait);
  if (!wait) return refuse_usage(wait.error().message);
  Result<SubmissionText> text = options.submission->read();
  if (!text) return refuse_usage(text.error().message);
  return run_client(*options.client, [&](Client& client) { return submit_one(client, *std::move(text), *wait); });
}

}  // namespace

Result<HttpReply> await_result(Client& client, const std::string& task_uuid, Duration wait) {
  while (true) {
    const Duration slice = std::min(wait, server_wait_max);
    HttpCall call{.target = fmt::format("/v1/tasks/{}/result?wait={}", task_uuid, to_text(slice))};
    call.more_time = slice;
    Result<HttpReply> reply = client.call(call);
    wait -= slice;
    if (!reply || reply->status != 202 || wait == Duration{0}) return reply;
  }
}

void show_outcome(const Client&, const JsonView& answer) {
  if (answer["result"].exists()) print(fmt::format("{}\n", printable(answer["result"].raw())));
  if (answer["error"].exists()) print(fmt::format("error: {}\n", printable(answer["error"].raw())));
  if (answer["result_expired"].exists()) print("its result is no longer kept\n");
}

void add_submit(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("submit", "Submit a task, once: sending it again is safe.");
  auto options = std::make_shared<SubmitOptions>();
  options->submission = add_submission_options(*command);
  command->add_option("--wait", options->wait, "Wait for the end of the task, and print its result: 30s");
  for (const CLI::Option* each : command->get_options()) {
    if (each != command->get_help_ptr()) options->of_one.push_back(each);
  }
  command->add_option("--batch", options->batch,
                      "Instead of all above: a file with one submission a line, as JSON; - is standard input");
  options->client = add_client_options(*command);
  command->footer(
      "Examples:\n"
      "  semel submit --handler ship --idempotency-key order-1 --context '{\"to\": \"Rome\"}'\n"
      "  semel submit invoice --namespace shop --context-file order.json --wait 30s\n"
      "  semel submit --batch orders.jsonl");
  command->callback([options, &exit_code] { exit_code = run_submit(*options); });
}

}  // namespace semel::cli
