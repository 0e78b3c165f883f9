#include <CLI/CLI.hpp>

#include "cli/client.hpp"
#include "cli/commands.hpp"
#include "cli/explain_offline.hpp"
#include "cli/submission_options.hpp"

namespace semel::cli {
namespace {

struct ExplainOptions {
  std::shared_ptr<ClientOptions> client;
  std::shared_ptr<SubmissionOptions> submission;
  std::string template_file;
  std::string tenant = "default";
};

/// Members of an object, a line each: strings without their quotes, the rest as it is.
void add_members(Table& facts, const JsonView& object) {
  for (const auto& [name, value] : object.members()) facts.add({{name, Color::faint}, value.text()});
}

void show(const JsonView& answer, bool colored) {
  Table facts;
  for (const char* name : {"would", "why", "answer"}) {
    if (answer[name].exists()) facts.add({{name, Color::faint}, answer[name].text()});
  }
  add_members(facts, answer["identity"]);
  for (const char* name : {"canonical_context", "reuse", "on_duplicate", "on_payload_mismatch"}) {
    if (answer[name].exists()) facts.add({{name, Color::faint}, answer[name].text()});
  }
  print(facts.text(colored));
  if (answer["holder"].exists()) {
    Table holder;
    add_members(holder, answer["holder"]);
    print("\nholder\n" + holder.text(colored));
  }
  for (const JsonView& pointer : answer["pointers"].elements())
    print(fmt::format("differs at {}\n", printable(pointer.text().empty() ? "the whole" : pointer.text())));
}

int run_offline(const ExplainOptions& options, const std::string& body) {
  const Result<std::string> answer = explain_offline(options.template_file, options.tenant, body);
  if (!answer) return refuse_failed(answer.error().message);
  if (options.client->json) print(*answer + "\n");
  else show(JsonView::parse(*answer), wants_color(stdout));
  return exit_code::ok;
}

int run_explain(const ExplainOptions& options) {
  Result<SubmissionText> text = options.submission->read();
  if (!text) return refuse_usage(text.error().message);
  const bool offline = !options.template_file.empty();
  if (!offline && !text->name && !text->handler)
    return refuse_usage("give the NAME of a template, --handler for an ad-hoc task, or --template-file FILE");
  const Result<std::string> body = write_submission(*text, {{}, current_time()});
  if (!body) return refuse_usage(body.error().message);
  if (offline) return run_offline(options, *body);
  return run_client(*options.client, [&](Client& client) {
    return client.finish(client.call({.method = "POST", .target = "/v1/identity/explain", .body = *body}),
                         [&](const JsonView& answer) { show(answer, client.colored()); });
  });
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Say what a submission would come to, and why, without submitting; its identity also without a server.");
  auto options = std::make_shared<ExplainOptions>();
  options->submission = add_submission_options(*command);
  CLI::Option* file = command
                          ->add_option("--template-file", options->template_file,
                                       "Compute the identity with this template, without a server")
                          ->excludes("name")
                          ->excludes("--handler")
                          ->excludes("--namespace")
                          ->excludes("--version");
  command->add_option("--tenant", options->tenant, "The tenant, without a server")->needs(file)->capture_default_str();
  options->client = add_client_options(*command);
  command->footer(
      "Examples:\n"
      "  semel explain --handler ship --idempotency-key order-1 --context '{\"to\": \"Rome\"}'\n"
      "  semel explain --template-file invoice.yaml --context '{\"order\": 7}'");
  command->callback([options, &exit_code] { exit_code = run_explain(*options); });
}

}  // namespace semel::cli
